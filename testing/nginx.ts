import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from './free-port.ts';
import { makeTestCertificate, type TestCertificate } from './certificate.ts';
import { closeOnce } from './close-once.ts';
import { duration } from './durations.ts';
import { makeTestFolder } from './folder.ts';
import { opensPort } from './port.ts';
import { type Program, startProgram } from './program.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { until } from './until.ts';

const DEPLOY = join(PROJECT_ROOT, 'deploy');

/** A real nginx with the file that operators are given, in which only names, ports, paths and the time-out are a test's own. */
export interface Nginx {
  /** Over TLS. */
  readonly url: string;
  readonly certificate: TestCertificate;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** It does not run yet. Where it is sent, the ports of a board or of several, nobody needs to listen. */
export async function prepareNginx(...boardPorts: readonly number[]): Promise<Nginx> {
  const program = process.env['NGINX_PATH'];
  if (!program) throw new Error('NGINX_PATH is not set: run the tests with `npm test`');
  const folder = makeTestFolder();
  const certificate = makeTestCertificate(folder);
  const port = await freePort();
  writeFileSync(join(folder, 'board.conf'), readDocumented(port, boardPorts, certificate));
  writeFileSync(join(folder, 'nginx.conf'), surround(folder));
  let running: Program | undefined;
  const stop = async (): Promise<void> => void (await running?.end());
  closeOnce(stop);
  return {
    url: `https://127.0.0.1:${port}/`,
    certificate,
    async start() {
      running = startProgram(program, ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf']);
      const { child, stderr } = running;
      await until(async () => {
        expect(child.exitCode, stderr()).toBeNull();
        await opensPort(port);
      });
    },
    stop,
  };
}

function readDocumented(port: number, boardPorts: readonly number[], certificate: TestCertificate): string {
  const board = 'server 127.0.0.1:3000 fail_timeout=2s;';
  const boards = boardPorts.map((own) => board.replace('3000', String(own)));
  const substitutes: [documented: string, own: string][] = [
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['board.example.org', '127.0.0.1'],
    ['/etc/ssl/board/fullchain.pem', certificate.certificateFile],
    ['/etc/ssl/board/privkey.pem', certificate.keyFile],
    [board, boards.join('\n    ')],
    ['/opt/triagem/deploy', DEPLOY],
    ['proxy_read_timeout 10s', `proxy_read_timeout ${duration(10_000, 1_000)}ms`],
  ];
  let text = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');
  for (const [documented, own] of substitutes) {
    expect(text).toContain(documented);
    text = text.replaceAll(documented, own);
  }
  return text;
}

/** What a system's own nginx.conf says around it. */
function surround(folder: string): string {
  const isRoot = process.getuid?.() === 0;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  return `
    daemon off;
    ${isRoot ? 'user root;' : ''}
    worker_processes 1;
    pid ${folder}/nginx.pid;
    error_log stderr warn;
    events { worker_connections 1024; }
    http {
      types { text/html html; }
      access_log off;
      ${temporary}
      include ${folder}/board.conf;
    }`;
}

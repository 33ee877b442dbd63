import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../server/database/embedded/free-port.ts';
import { closeOnce } from './close-once.ts';
import { makeTestCertificate, type TestCertificate } from './certificate.ts';
import { duration } from './durations.ts';
import { opensPort } from './opens-port.ts';
import { until } from './until.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');

/** A real nginx with the file that operators are given, in which only names, ports, paths and the time-out are a test's own. */
export interface Nginx {
  /** Over TLS. */
  readonly url: string;
  readonly certificate: TestCertificate;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it, and removes its folder. */
  remove(): Promise<void>;
}

/** It does not run yet. Where it is sent, `boardPort`, nobody needs to listen. */
export async function prepareNginx(boardPort: number): Promise<Nginx> {
  const program = process.env['NGINX_PATH'];
  if (!program) throw new Error('NGINX_PATH is not set: run the tests with `npm test`');
  const folder = mkdtempSync(join(tmpdir(), 'triagem-nginx-'));
  chmodSync(folder, 0o755);
  const certificate = makeTestCertificate(folder);
  const port = await freePort();
  writeFileSync(join(folder, 'board.conf'), readDocumented(port, boardPort, certificate));
  writeFileSync(join(folder, 'nginx.conf'), surround(folder));
  let child: ChildProcess | undefined;

  const stop = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return {
    url: `https://127.0.0.1:${port}/`,
    certificate,
    async start() {
      const started = spawn(program, ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      let said = '';
      started.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
      await until(async () => {
        expect(started.exitCode, said).toBeNull();
        await opensPort(port);
      });
    },
    stop,
    remove: closeOnce(async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

function readDocumented(port: number, boardPort: number, certificate: TestCertificate): string {
  const substitutes: [documented: string, own: string][] = [
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['board.example.org', '127.0.0.1'],
    ['/etc/ssl/board/fullchain.pem', certificate.certificateFile],
    ['/etc/ssl/board/privkey.pem', certificate.keyFile],
    ['http://127.0.0.1:3000', `http://127.0.0.1:${boardPort}`],
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

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { makeTestCertificate, type TestCertificate } from './certificate.ts';
import { closeOnce } from '../close-once.ts';
import { duration } from '../durations.ts';
import { makeTestFolder } from '../folder.ts';
import { opensPort } from './port.ts';
import { type Program, startProgram } from './program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { signalAll } from './signal.ts';
import { until } from '../until.ts';

const DEPLOY = join(PROJECT_ROOT, 'deploy');

/** A real nginx with a file that operators are given, in which only names, ports, paths and a time-out are a test's own. */
export interface Nginx {
  /** Over TLS. */
  readonly url: string;
  /** Without: for as many screens as have no processor for their half of TLS. */
  readonly plainUrl: string;
  readonly certificate: TestCertificate;
  /** Its processes now. */
  pids(): readonly number[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** All of it at once, as a machine that is lost takes it along. */
  kill(): Promise<void>;
}

interface Ports {
  readonly tls: number;
  readonly plain: number;
}

/** Prepares nginx as operators have it before one board, without starting it. Its target need not listen yet. */
export function prepareNginx(boardPort: number): Promise<Nginx> {
  return prepare((ports, certificate) =>
    readDocumented('nginx.conf', ports, certificate, [
      ['127.0.0.1:3000', `127.0.0.1:${boardPort}`],
      ['proxy_read_timeout 10s', `proxy_read_timeout ${duration(10_000, 1_000)}ms`],
    ]),
  );
}

/** Prepares nginx before two edges. */
export function prepareNginxOfEdges([one, other]: readonly [number, number]): Promise<Nginx> {
  return prepare((ports, certificate) =>
    readDocumented('nginx-edges.conf', ports, certificate, [
      ['10.0.0.11:3000', `127.0.0.1:${one}`],
      ['10.0.0.12:3000', `127.0.0.1:${other}`],
    ]),
  );
}

async function prepare(configure: (ports: Ports, certificate: TestCertificate) => string): Promise<Nginx> {
  const program = process.env['NGINX_PATH'];
  if (!program) throw new Error('NGINX_PATH is not set: run the tests with `npm test`');
  const folder = makeTestFolder();
  const certificate = makeTestCertificate(folder);
  const ports = { tls: await freePort(), plain: await freePort() };
  writeFileSync(join(folder, 'board.conf'), configure(ports, certificate));
  writeFileSync(join(folder, 'nginx.conf'), surround(folder));
  let running: Program | undefined;
  const stop = async (): Promise<void> => void (await running?.end());
  const pids = (): number[] => {
    const { pid, exitCode, signalCode } = running?.child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return [];
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return [pid, ...workers.filter(Boolean).map(Number)];
  };
  closeOnce(stop);
  return {
    url: `https://127.0.0.1:${ports.tls}/`,
    plainUrl: `http://127.0.0.1:${ports.plain}/`,
    certificate,
    pids,
    async start() {
      running = startProgram(program, ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf']);
      const { child, stderr } = running;
      await until(async () => {
        assert.equal(child.exitCode, null, stderr());
        await opensPort(ports.tls);
      });
    },
    stop,
    async kill() {
      // A worker goes on without its master.
      signalAll(pids(), 'SIGKILL');
      await running?.ended;
    },
  };
}

type Substitute = readonly [documented: string, own: string];

function readDocumented(
  file: string,
  { tls, plain }: Ports,
  certificate: TestCertificate,
  boards: readonly Substitute[],
): string {
  const substitutes: readonly Substitute[] = [
    ['    listen 443 ', `    listen 127.0.0.1:${plain};\n    listen 127.0.0.1:${tls} `],
    ['board.example.org', '127.0.0.1'],
    ['/etc/ssl/board/fullchain.pem', certificate.certificateFile],
    ['/etc/ssl/board/privkey.pem', certificate.keyFile],
    ['/opt/triagem/deploy', DEPLOY],
    ...boards,
  ];
  let text = readFileSync(join(DEPLOY, file), 'utf8');
  for (const [documented, own] of substitutes) {
    assert.ok(text.includes(documented), `deploy/${file} has no ${documented}`);
    text = text.replaceAll(documented, own);
  }
  return text;
}

/** The surroundings of it in a system's own nginx.conf. */
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
    events { worker_connections 4096; }
    http {
      types { text/html html; }
      access_log off;
      ${temporary}
      include ${folder}/board.conf;
    }`;
}

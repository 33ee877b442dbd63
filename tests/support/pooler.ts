import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../../server/database/embedded/free-port.ts';
import { until } from './until.ts';

/** A PgBouncer of a test's own. */
export interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

/** Where Debian's package is unpacked once, if PgBouncer is not installed. */
const UNPACKED = join(import.meta.dirname, '../../build/pgbouncer');

/**
 * The program and the folder of its libraries; `undefined` where there is none and none can be had. Unpacked and not
 * installed: that needs no root, and starts no service.
 */
export function findPooler(): { readonly program: string; readonly libraries: string } | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    join(UNPACKED, 'usr/sbin'),
  ];
  const find = (): string | undefined => folders.map((folder) => join(folder, 'pgbouncer')).find(isProgram);
  const program = find() ?? (unpackDebian() ? find() : undefined);
  return program === undefined ? undefined : { program, libraries: librariesIn(join(UNPACKED, 'usr/lib')) };
}

/** In front of the PostgreSQL at `databaseUrl`, for its user. `overlooked`: parameters of a session that it drops. */
export async function startPooler(
  { program, libraries }: NonNullable<ReturnType<typeof findPooler>>,
  databaseUrl: string,
  options: { readonly mode: 'session' | 'transaction'; readonly overlooked?: readonly string[] },
): Promise<Pooler> {
  const { username, password, port: serverPort } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'triagem-pooler-'));
  const port = await freePort();
  const ini = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  writeFileSync(
    ini,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${options.mode}
ignore_startup_parameters = ${options.overlooked?.join(',') ?? ''}
`,
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, ['-q', ...account, ini], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${complaints}`);
    await connects(port);
  });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function unpackDebian(): boolean {
  if (!existsSync('/usr/bin/apt-get')) return false;
  const fresh = mkdtempSync(join(tmpdir(), 'triagem-debian-'));
  const apt = (...args: string[]): void =>
    void execFileSync('apt-get', args, { cwd: fresh, stdio: 'ignore' });
  const download = (): void => {
    apt('download', 'pgbouncer');
    const [file = ''] = readdirSync(fresh);
    const needs = execFileSync('dpkg-deb', ['-f', join(fresh, file), 'Depends'], { encoding: 'utf8' });
    const libraries = needs.match(/\b(libevent|libc-ares|libcares)[\w.+-]*/g) ?? [];
    apt('download', ...new Set(libraries));
  };
  try {
    try {
      download();
    } catch {
      // Lists that are missing or old.
      apt('update');
      download();
    }
    const unpacked = join(fresh, 'unpacked');
    for (const file of readdirSync(fresh)) execFileSync('dpkg-deb', ['-x', join(fresh, file), unpacked]);
    mkdirSync(UNPACKED, { recursive: true });
    cpSync(unpacked, UNPACKED, { recursive: true, verbatimSymlinks: true });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function librariesIn(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .join(delimiter);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function connects(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

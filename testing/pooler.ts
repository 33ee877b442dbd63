import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../server/database/embedded/free-port.ts';
import { closeOnce } from './close-once.ts';
import { opensPort } from './opens-port.ts';
import { until } from './until.ts';

/** A PgBouncer of a test's own. */
export interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

/** In front of the PostgreSQL at `databaseUrl`, for its user. `overlooked`: parameters of a session that it drops. */
export async function startPooler(
  databaseUrl: string,
  options: { readonly mode: 'session' | 'transaction'; readonly overlooked?: readonly string[] },
): Promise<Pooler> {
  const program = process.env['PGBOUNCER_PATH'];
  if (!program) throw new Error('PGBOUNCER_PATH is not set: run the tests with `npm test`');
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
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${complaints}`);
    await opensPort(port);
  });
  return {
    port,
    stop: closeOnce(async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    }),
  };
}

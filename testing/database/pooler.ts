import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../server/free-port.ts';
import { closeOnce } from '../close-once.ts';
import { makeTestFolder } from '../folder.ts';
import { opensPort } from '../server/port.ts';
import { startProgram } from '../server/program.ts';
import { until } from '../until.ts';

/**
 * Starts a PgBouncer of a test's own in front of the PostgreSQL at `databaseUrl`, for its user, and returns its port.
 * `overlooked`: parameters of a session that it drops.
 */
export async function startPooler(
  databaseUrl: string,
  options: { readonly mode: 'session' | 'transaction'; readonly overlooked?: readonly string[] },
): Promise<number> {
  const program = process.env['PGBOUNCER_PATH'];
  if (!program) throw new Error('PGBOUNCER_PATH is not set: run the tests with `npm test`');
  const { username, password, port: serverPort } = new URL(databaseUrl);
  const folder = makeTestFolder();
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
  const { child, stderr, end } = startProgram(program, ['-q', ...account, ini]);
  closeOnce(() => end('SIGKILL'));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${stderr()}`);
    await opensPort(port);
  });
  return port;
}

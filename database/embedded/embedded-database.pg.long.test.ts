import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';
import { withConnection } from '../with-connection.ts';
import { startEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.ts';
import { childProcesses, processesIn, processIdentity } from './process-identity.ts';
import { DatabaseSetupError, errorMessage } from '../setup-error.ts';

let dataDir: string;
const running: EmbeddedDatabase[] = [];

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'triagem-embedded-'));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(dataDir, 0o755);
  return () => {
    rmSync(dataDir, { recursive: true, force: true });
  };
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((database) => database.stop()));
});

async function start(
  options: Omit<Partial<Parameters<typeof startEmbeddedDatabase>[0]>, 'log'> = {},
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, port: 0, log: () => {}, ...options });
  running.push(database);
  return database;
}

async function failure(options: Parameters<typeof start>[0] = {}): Promise<string> {
  const error: unknown = await start(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseSetupError);
  return errorMessage(error);
}

function postmasterPid(): number {
  return Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

/** Those that run now. */
function postgresProcesses(): number[] {
  if (!existsSync(join(dataDir, 'cluster', 'postmaster.pid'))) return [];
  const pid = postmasterPid();
  return [pid, ...childProcesses(pid)];
}

/** Started by another Node, which is killed with SIGKILL once it runs: nobody watches it any more. */
async function startAndLoseItsNode(): Promise<{ pid: number; port: number }> {
  const module = new URL('../../build/database/embedded/embedded-database.js', import.meta.url);
  const program = `const { startEmbeddedDatabase } = await import(${JSON.stringify(module.href)});
    const { port } = await startEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)}, port: 0, log() {} });
    process.stdout.write(String(port));`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(node.stdout, 'data')) as [Buffer];
  node.kill('SIGKILL');
  await once(node, 'exit');
  return { pid: postmasterPid(), port: Number(port) };
}

test('an interrupted initdb is cleaned up, and what the first start makes is kept for the next', async () => {
  mkdirSync(join(dataDir, 'cluster.new-interrupted'));
  const first = await start();
  expect(existsSync(join(dataDir, 'cluster.new-interrupted'))).toBe(false);
  await withConnection(
    first.gatesUrl,
    (sql) => sql`insert into tickets values ('e', 'kept', true, true, '4')`,
  );
  await first.stop();

  const stopwatch = startStopwatch({ pids: postgresProcesses });
  const second = await start();
  expect(await stopwatch.elapsedMs()).toBeLessThan(3_000);
  const rows = await withConnection(second.observerUrl, (sql) => sql`select id from tickets`);
  expect(rows.map(({ id }) => id as string)).toEqual(['kept']);
  expect(second.dashboardKey).toBe(first.dashboardKey);
  expect(second.sessionSecret).toBe(first.sessionSecret);
});

test('what holds passwords is for its owner alone, and the gates’ files go when it stops', async () => {
  const database = await start();
  for (const name of ['secrets.json', 'gates.json', 'gates.pgpass']) {
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
  expect(JSON.parse(readFileSync(join(dataDir, 'gates.json'), 'utf8'))).toMatchObject({
    url: database.gatesUrl,
  });
  await database.stop();
  await database.stop();
  expect(existsSync(join(dataDir, 'gates.json'))).toBe(false);
  expect(existsSync(join(dataDir, 'gates.pgpass'))).toBe(false);
  expect(existsSync(join(dataDir, 'lock.json'))).toBe(false);
});

test('a file in the place of the data folder: another folder is advised first', async () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  expect(await failure({ dataDir: file })).toMatch(
    /a file is in its place .*\. Set DATA_DIR to a folder, or move the file away\.$/,
  );
});

test('a second instance learns who holds the folder, and the first continues', async () => {
  const first = await start();
  expect(await failure()).toMatch(`in use by process ${process.pid}, its PostgreSQL on port ${first.port}`);
  await withConnection(first.observerUrl, (sql) => sql`select 1`);
});

test('a server that outlived its Node is taken over, sessions and all', async () => {
  const { pid, port } = await startAndLoseItsNode();
  const second = await start({ port });
  expect(postmasterPid()).toBe(pid);
  await withConnection(second.observerUrl, (sql) => sql`select 1`);
});

test('a server that outlived its Node is stopped when other settings are asked for', async () => {
  const { pid } = await startAndLoseItsNode();
  const second = await start({ settings: { max_connections: '60' } });
  expect(postmasterPid()).not.toBe(pid);
  const [row] = await withConnection(second.observerUrl, (sql) => sql`show max_connections`);
  expect(row?.['max_connections']).toBe('60');
});

test('a killed PostgreSQL is restarted on its port; one that does not restart is stopped all the same, nothing left', async () => {
  const database = await start();
  process.kill(postmasterPid(), 'SIGKILL');
  await until(async () =>
    expect(await withConnection(database.observerUrl, (sql) => sql`select 1`)).toHaveLength(1),
  );
  const killed = postmasterPid();
  process.kill(killed, 'SIGKILL');
  // The file may be half written.
  await until(() => expect([0, killed, Number.NaN]).not.toContain(postmasterPid()));
  for (const pid of [postmasterPid(), ...childProcesses(postmasterPid())]) process.kill(pid, 'SIGSTOP');
  const stopwatch = startStopwatch();
  await database.stop();
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  expect(processesIn(realpathSync(join(dataDir, 'cluster')), 'postgres')).toEqual([]);
});

describe('a data folder that is gone is named with the way to restore, and nothing is committed there any more', () => {
  async function startElsewhere() {
    const other = mkdtempSync(join(tmpdir(), 'triagem-gone-'));
    chmodSync(other, 0o755);
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const database = await start({ dataDir: other });
    const pid = Number.parseInt(readFileSync(join(other, 'cluster', 'postmaster.pid'), 'utf8'), 10);
    const expectGone = (): void => {
      expect(database.notReadyReason).toMatch(
        /^The database in .* is gone, .* start it again, and "gates -- restore"/,
      );
      expect(processIdentity(pid)).toBeUndefined();
    };
    return { database, other, expectGone };
  }

  test('deleted', async () => {
    const { database, other, expectGone } = await startElsewhere();
    rmSync(other, { recursive: true });
    await until(() => expect(expectGone).not.toThrow());
    await database.stop();
  });

  test('moved, until it is moved back', async () => {
    const { database, other, expectGone } = await startElsewhere();
    const { gatesUrl } = database;
    await withConnection(gatesUrl, (sql) => sql`insert into tickets values ('e', '1', true, true, '4')`);
    renameSync(other, `${other}-moved`);
    onTestFinished(() => rmSync(`${other}-moved`, { recursive: true, force: true }));
    await until(() => expect(expectGone).not.toThrow());
    renameSync(`${other}-moved`, other);
    await until(() => expect(database.notReadyReason).toBeUndefined(), 30_000);
    expect(await withConnection(gatesUrl, (sql) => sql`select from tickets`)).toHaveLength(1);
    await database.stop();
  });
});

test('what is left of a database is named with the way to restore, while it runs and at the next start', async () => {
  const other = mkdtempSync(join(tmpdir(), 'triagem-half-'));
  chmodSync(other, 0o755);
  onTestFinished(() => rmSync(other, { recursive: true, force: true }));
  const database = await start({ dataDir: other });
  const pid = Number.parseInt(readFileSync(join(other, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  rmSync(join(other, 'cluster', 'PG_VERSION'));
  process.kill(pid, 'SIGKILL');
  await until(() =>
    expect(database.notReadyReason).toMatch(/^What is left in .*cluster is no database any more, .* move /),
  );
  await database.stop();
  expect(await failure({ dataDir: other })).toMatch(
    /cluster is no database, or only what is left of one.* move it away/s,
  );
});

test('a port that is taken is named, with the setting', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    expect(await failure({ port })).toMatch(new RegExp(`Port ${port}.*EMBEDDED_DATABASE_PORT`));
  } finally {
    other.close();
  }
});

test('a setting that PostgreSQL refuses is reported in its words', async () => {
  expect(await failure({ settings: { wal_level: 'nonsense' } })).toMatch(/wal_level/);
});

test('a cluster that others may read is named with its fix', async () => {
  await (await start()).stop();
  const cluster = join(dataDir, 'cluster');
  chmodSync(cluster, 0o755);
  expect(await failure()).toMatch(
    `Other accounts may read ${cluster}, and PostgreSQL does not start on such a folder. Run: chmod 700`,
  );
  chmodSync(cluster, 0o700);
});

test('a wal_level that is not logical is named with its fix', async () => {
  expect(await failure({ settings: { wal_level: 'replica' } })).toMatch(
    /ALTER SYSTEM SET wal_level = logical/,
  );
});

test('the observer may not replicate physically', async () => {
  const database = await start();
  const attempt = withConnection(database.observerUrl, (sql) => sql.unsafe('IDENTIFY_SYSTEM'), {
    replication: 'true',
  });
  await expect(attempt).rejects.toThrow(/pg_hba.conf rejects replication connection/);
});

test('lost secrets are reported before anything is touched, and can be restored from a backup', async () => {
  await start();
  await running.pop()?.stop();
  const path = join(dataDir, 'secrets.json');
  const backup = readFileSync(path, 'utf8');
  rmSync(path);
  expect(await failure()).toMatch(/secrets\.json is missing.*from a backup/);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '{"owner":""}');
  expect(await failure()).toMatch(/damaged/);
  writeFileSync(path, backup, { mode: 0o600 });
  await start();
});

test('a data folder of a version without a record gets its role, also from a server that still runs', async () => {
  const made = await start();
  const before = readFileSync(join(dataDir, 'secrets.json'), 'utf8');
  await made.stop();
  const { pid, port } = await startAndLoseItsNode();
  const access = join(dataDir, 'cluster', 'pg_hba.conf');
  writeFileSync(access, readFileSync(access, 'utf8').replace(',triagem_record', ''));
  const ofServer = (name: string): string =>
    Object.assign(new URL(made.adminUrl), { port: String(port), pathname: `/${name}` }).href;
  await withConnection(ofServer('triagem'), (sql) =>
    sql.unsafe(`drop owned by triagem_record; drop role triagem_record; drop schema triagem cascade;
      delete from public.triagem_schema where file like '005%'; select pg_reload_conf()`),
  );
  const { recordUrl } = await start();
  expect(postmasterPid()).not.toBe(pid);
  expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).toBe(before);
  expect(JSON.parse(readFileSync(join(dataDir, 'gates.json'), 'utf8'))).toMatchObject({ recordUrl });
  await withConnection(recordUrl, async (sql) => {
    expect(await sql`select from triagem.minutes`).toEqual([]);
  });
});

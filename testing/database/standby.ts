import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { writeOwnedFile } from '../../database/embedded/data-folder.ts';
import { type ClusterOptions, startTestCluster, type TestCluster } from './cluster.ts';
import type { DatabaseUrls } from './database.ts';
import type { TestHost } from '../fleet/hosts.ts';
import { until } from '../until.ts';

const run = promisify(execFile);

/** A primary with a standby that follows it by streaming replication, as an operator has them. */
export interface TestPair {
  readonly primary: TestCluster;
  readonly standby: TestCluster;
}

/** Resolves once a standby has replayed it. */
const KEEP_LOG = { wal_keep_size: '1GB' };

export interface PairOptions extends Pick<ClusterOptions, 'isUnrelated'> {
  /** Where they run; default: beside this process. */
  readonly hosts?: readonly [primary: TestHost, standby: TestHost];
  /** The name from `startStandby`, for the address of the primary. */
  readonly link?: (primaryUrl: string) => Promise<string>;
}

/**
 * `isUnrelated`: for what a process remembers of a system until it ends, as the gates tool does its latest timeline: a
 * promotion in one test must not be known in the next.
 */
export async function startTestPair({ isUnrelated, hosts, link }: PairOptions = {}): Promise<TestPair> {
  const primary = await startTestCluster({ isUnrelated, host: hosts?.[0], settings: KEEP_LOG });
  await admitStandbys(primary);
  const standby = await primary.beside(hosts?.[1]);
  await startStandby(standby, primary, await link?.(primary.database.adminUrl));
  return { primary, standby };
}

/** The connection string of a role with these hosts, as an operator writes it. */
export function urlOf(role: keyof DatabaseUrls, ...clusters: readonly TestCluster[]): string {
  const [first] = clusters;
  if (!first) throw new Error('no cluster is named');
  return first.database[role].replace(first.host, clusters.map(({ host }) => host).join());
}

/** Gives the observer of one the password that it has in another one. */
export async function shareObserver(cluster: TestCluster, withUrl: string): Promise<void> {
  const { username, password } = new URL(withUrl);
  await cluster.database.admin.unsafe(`alter role ${username} password '${password}'`);
}

/** Starts it again, and lets standbys in. */
export async function startPrimary(cluster: TestCluster): Promise<void> {
  await cluster.start(KEEP_LOG);
  await admitStandbys(cluster);
}

/**
 * Makes a cluster that does not run the standby of one that does: by a copy of its files as they are (PostgreSQL
 * documentation, "Making a Base Backup Using the Low Level API"), as the embedded binaries have no pg_basebackup. `link`:
 * the address of the primary by which it follows, as through a network of the test's own.
 */
export async function startStandby(
  standby: TestCluster,
  primary: TestCluster,
  link = primary.database.adminUrl,
): Promise<void> {
  const { folder } = standby;
  const { adminUrl } = primary.database;
  const sql = postgres(adminUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await sql`select pg_backup_start('standby', true)`;
    await rm(folder, { recursive: true, force: true });
    // Files appear and vanish meanwhile, which is no error: the log replays them.
    await run('cp', ['-a', primary.folder, folder]).catch(() => {});
    const [{ label }] = await sql<[{ label: string }]>`select labelfile as label from pg_backup_stop(false)`;
    await writeOwnedFile(join(folder, 'backup_label'), label, 0o600);
  } finally {
    await sql.end();
  }
  for (const name of ['postmaster.pid', 'postmaster.opts', 'tablespace_map']) {
    await rm(join(folder, name), { force: true });
  }
  const { username, password, hostname, port } = new URL(link);
  await standby.startAsStandby({
    ...KEEP_LOG,
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
  });
  await admitStandbys(standby);
}

/** Resolves when it takes writes, with when that was: by `performance.now()`. */
export async function promote({ database }: TestCluster): Promise<number> {
  const { admin } = database;
  await admin`select pg_promote(false)`;
  for (;;) {
    const [{ isStandby }] = await admin<[{ isStandby: boolean }]>`select pg_is_in_recovery() as "isStandby"`;
    if (!isStandby) return performance.now();
    await pause(2);
  }
}

/** Waits until a standby has applied all that its primary has committed. */
export async function untilCaughtUp({ primary, standby }: TestPair): Promise<void> {
  const [{ lsn }] = await primary.database.admin<[{ lsn: string }]>`select pg_current_wal_lsn()::text as lsn`;
  await until(async () => {
    const [{ isThere }] = await standby.database.admin<[{ isThere: boolean }]>`
      select pg_last_wal_replay_lsn() >= ${lsn}::text::pg_lsn as "isThere"`;
    if (!isThere) throw new Error('the standby is behind');
  });
}

/** The cluster's own rules refuse physical replication, and are written at each start. */
async function admitStandbys({ folder, database }: TestCluster): Promise<void> {
  const { username } = new URL(database.adminUrl);
  const rules = join(folder, 'pg_hba.conf');
  const others = await readFile(rules, 'utf8');
  await writeOwnedFile(rules, `host replication ${username} 127.0.0.1/32 scram-sha-256\n${others}`, 0o600);
  // Its pool may just have learnt that the server before it has ended.
  await until(() => database.admin`select pg_reload_conf()`);
}

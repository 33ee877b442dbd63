import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type Binaries, findBinaries } from '../../database/embedded/binaries.ts';
import { EMBEDDED_NAMES } from '../../database/embedded/cluster-files.ts';
import { ensureCluster } from '../../database/embedded/cluster-init.ts';
import { Cluster } from '../../database/embedded/cluster.ts';
import { type DataFolder, openDataFolder } from '../../database/embedded/data-folder.ts';
import { urlsOf } from '../../database/embedded/embedded-database.ts';
import { ensureDatabase } from '../../database/embedded/ensure-running.ts';
import { freePort } from '../server/free-port.ts';
import { childProcesses, processIdentity } from '../../database/embedded/process-identity.ts';
import { openSecrets, type Secrets } from '../../database/embedded/secrets.ts';
import { prepare } from '../../database/schema/migrate.ts';
import { closeOnce } from '../close-once.ts';
import { connectTestDatabase, type DatabaseUrls, type TestDatabase } from './database.ts';
import { type DatabaseClock, makeDatabaseClock } from './database-clock.ts';
import { type TestHost } from '../fleet/hosts.ts';
import { makeTestFolder } from '../folder.ts';
import { signalAll } from '../server/signal.ts';
import { until } from '../until.ts';

/** A PostgreSQL of a test's own, as an operator's is: nobody watches it. Its one database is ready for Triagem. */
export interface TestCluster {
  readonly database: TestDatabase;
  /** Host and port. */
  readonly host: string;
  /** Where PostgreSQL keeps it. */
  readonly folder: string;
  /** Sets its clock `aheadS` seconds ahead of this machine's. It must have been started with a clock of its own. */
  setClock(aheadS: number): void;
  stop(): Promise<void>;
  /** Starts it again, with these settings. */
  start(settings?: Record<string, string>): Promise<void>;
  /** Starts it again as a standby; without `primary_conninfo` it waits for a primary that never comes. */
  startAsStandby(settings?: Record<string, string>): Promise<void>;
  /** Their ids, the first one first. */
  processes(): Promise<number[]>;
  /** Sends a signal to each of its processes, the first one first; killed, they are gone when it resolves. */
  signalAll(signal: NodeJS.Signals): Promise<void>;
  /** Resolves once a new connection is answered. */
  answersAgain(): Promise<void>;
  /** A cluster that does not run, and has nothing in its folder yet; the same roles and passwords. */
  beside(host?: TestHost): Promise<TestCluster>;
}

export interface ClusterOptions {
  readonly hasOwnClock?: boolean;
  /** It is another system, with other passwords. */
  readonly isUnrelated?: boolean | undefined;
  /** Where it runs; default: beside this process. */
  readonly host?: TestHost | undefined;
  /** Settings of PostgreSQL for its first start. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Its files are a copy of those that all tests begin with, so that the clusters have one system identifier and the same
 * passwords, unless it `isUnrelated`.
 */
export async function startTestCluster({
  hasOwnClock = false,
  isUnrelated = false,
  host,
  settings = {},
}: ClusterOptions = {}): Promise<TestCluster> {
  const folder = makeTestFolder();
  if (!isUnrelated) copyUsedDataFolder(folder);
  const place = await openDataFolder(folder, undefined);
  const found = await findBinaries(place);
  const clock = hasOwnClock ? makeDatabaseClock(found) : undefined;
  const binaries = clock?.binaries ?? found;
  const secrets = await openSecrets(place);
  await ensureCluster(place, binaries, secrets.superuser, () => {});
  const cluster = await openCluster({ place, binaries, secrets, clock, host });
  await cluster.start(settings);
  if (isUnrelated) await ensureDatabase(Number(new URL(cluster.database.adminUrl).port), secrets);
  if (isUnrelated) await prepare(cluster.database, () => {});
  await cluster.database.admin`select 1`;
  return cluster;
}

/** Fills a folder with what a first start of the embedded database leaves in one. */
export function copyUsedDataFolder(folder: string): void {
  execFileSync('cp', ['-a', `${inject('usedDataFolder')}/.`, folder]);
}

/** No test crashes the machine under it; and a commit that the disk takes a second for may count in the minute after its own. */
const UNSYNCED = { fsync: 'off' };

interface Parts {
  readonly place: DataFolder;
  readonly binaries: Binaries;
  readonly secrets: Secrets;
  readonly clock?: DatabaseClock | undefined;
  readonly host?: TestHost | undefined;
}

async function openCluster({ place, binaries, secrets, clock, host }: Parts): Promise<TestCluster> {
  const port = host ? PORT_OF_HOST : await freePort();
  const { cluster, address, own } = host ? inHost(host, place, binaries) : beside(place, binaries);
  closeOnce(() => cluster.stop(() => {}));
  const urls = Object.entries(urlsOf(port, secrets)).map(([role, url]) => [
    role,
    url.replace(LOCAL, address),
  ]);
  const database = connectTestDatabase(EMBEDDED_NAMES.database, Object.fromEntries(urls) as DatabaseUrls);
  const processes = async (): Promise<number[]> => {
    const server = await cluster.running();
    if (!server) throw new Error('the cluster does not run');
    return [server.pid, ...childProcesses(server.pid)];
  };
  return {
    database,
    host: `${address}:${port}`,
    folder: place.cluster,
    setClock(aheadS) {
      if (!clock) throw new Error('the cluster has no clock of its own');
      clock.set(aheadS);
    },
    stop: () => cluster.stop(() => {}),
    start: (settings = {}) => cluster.start(port, { ...own, ...settings }),
    async startAsStandby(settings = {}) {
      await cluster.stop(() => {});
      writeFileSync(join(place.cluster, 'standby.signal'), '');
      await cluster.start(port, { ...own, ...settings });
    },
    processes,
    async signalAll(signal) {
      const pids = await processes();
      signalAll(pids, signal);
      // A server that has not quite gone holds its lock file.
      if (signal !== 'SIGKILL') return;
      while (pids.some((pid) => processIdentity(pid) !== undefined)) await pause(5);
    },
    async answersAgain() {
      await until(async () => {
        const sql = postgres(database.adminUrl, { max: 1, fetch_types: false, connect_timeout: 1 });
        await sql`select 1`.finally(() => sql.end({ timeout: 1 }));
      }, 60_000);
      // Nothing is measured with a connection that is still to be made.
      await until(() => database.admin`select 1`);
    },
    async beside(otherHost) {
      const other = await openDataFolder(makeTestFolder(), undefined);
      return openCluster({ place: other, binaries, secrets, host: otherHost });
    },
  };
}

const LOCAL = '127.0.0.1';
const PORT_OF_HOST = 5432;

interface Running {
  readonly cluster: Cluster;
  readonly address: string;
  /** Settings of each start. */
  readonly own: Readonly<Record<string, string>>;
}

function beside(place: DataFolder, binaries: Binaries): Running {
  return { cluster: new Cluster(place, binaries), address: LOCAL, own: UNSYNCED };
}

/** It is started as root, who may enter the host, and runs as its account. Everybody gets in from everywhere by password. */
function inHost({ address, enter }: TestHost, place: DataFolder, binaries: Binaries): Running {
  const { uid, gid } = place.account ?? { uid: 0, gid: 0 };
  const rules = 'host all all all scram-sha-256\nhost replication all all scram-sha-256\n';
  const account = `setpriv --reuid=${uid} --regid=${gid} --clear-groups`;
  // pg_ctl ends once the server has started.
  const starter = `#!/bin/sh\nexec ${enter.join(' ')} ${account} '${binaries.program('pg_ctl')}' "$@"\n`;
  const folder = makeTestFolder({ 'pg_hba.conf': rules, pg_ctl: starter });
  chmodSync(join(folder, 'pg_ctl'), 0o755);
  const program: Binaries['program'] = (name) =>
    name === 'pg_ctl' ? join(folder, name) : binaries.program(name);
  return {
    cluster: new Cluster({ ...place, account: undefined }, { ...binaries, program }),
    address,
    own: { ...UNSYNCED, listen_addresses: '*', hba_file: join(folder, 'pg_hba.conf') },
  };
}

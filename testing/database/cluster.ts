import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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
import { connectTestDatabase, type TestDatabase } from './database.ts';
import { type DatabaseClock, makeDatabaseClock } from './database-clock.ts';
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
  beside(): Promise<TestCluster>;
}

export interface ClusterOptions {
  readonly hasOwnClock?: boolean;
  /** It is another system, with other passwords. */
  readonly isUnrelated?: boolean | undefined;
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
  const port = await freePort();
  await new Cluster(place, binaries).start(port, { ...UNSYNCED, ...settings });
  if (isUnrelated) await ensureDatabase(port, secrets);
  const cluster = await openCluster({ place, binaries, secrets, port, clock });
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
  readonly port: number;
  readonly clock?: DatabaseClock | undefined;
}

async function openCluster({ place, binaries, secrets, port, clock }: Parts): Promise<TestCluster> {
  const cluster = new Cluster(place, binaries);
  closeOnce(() => cluster.stop(() => {}));
  const database = connectTestDatabase(EMBEDDED_NAMES.database, urlsOf(port, secrets));
  const processes = async (): Promise<number[]> => {
    const server = await cluster.running();
    if (!server) throw new Error('the cluster does not run');
    return [server.pid, ...childProcesses(server.pid)];
  };
  return {
    database,
    host: `127.0.0.1:${port}`,
    folder: place.cluster,
    setClock(aheadS) {
      if (!clock) throw new Error('the cluster has no clock of its own');
      clock.set(aheadS);
    },
    stop: () => cluster.stop(() => {}),
    start: (settings = {}) => cluster.start(port, { ...UNSYNCED, ...settings }),
    async startAsStandby(settings = {}) {
      await cluster.stop(() => {});
      writeFileSync(join(place.cluster, 'standby.signal'), '');
      await cluster.start(port, { ...UNSYNCED, ...settings });
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
    async beside() {
      const other = await openDataFolder(makeTestFolder(), undefined);
      return openCluster({ place: other, binaries, secrets, port: await freePort() });
    },
  };
}

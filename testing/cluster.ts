import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { findBinaries } from '../server/database/embedded/binaries.ts';
import { EMBEDDED_NAMES } from '../server/database/embedded/cluster-files.ts';
import { ensureCluster } from '../server/database/embedded/cluster-init.ts';
import { Cluster } from '../server/database/embedded/cluster.ts';
import { openDataFolder } from '../server/database/embedded/data-folder.ts';
import { ensureDatabase } from '../server/database/embedded/ensure-running.ts';
import { freePort } from './free-port.ts';
import { childProcesses } from '../server/database/embedded/process-identity.ts';
import { openSecrets } from '../server/database/embedded/secrets.ts';
import { prepare } from '../server/database/schema/migrate.ts';
import { closeOnce } from './close-once.ts';
import { connectTestDatabase, type TestDatabase } from './database.ts';
import { makeDatabaseClock } from './database-clock.ts';
import { makeTestFolder } from './folder.ts';
import { until } from './until.ts';

/** A PostgreSQL of a test's own, as an operator's is: nobody watches it. Its one database is ready for Triagem. */
export interface TestCluster {
  readonly database: TestDatabase;
  /** Sets its clock so many seconds ahead of this machine's: of one that was started with a clock of its own. */
  setClock(aheadS: number): void;
  stop(): Promise<void>;
  /** Starts it again, with these settings. */
  start(settings?: Record<string, string>): Promise<void>;
  /** Starts it again as a standby, which waits for a primary that never comes. */
  startAsStandby(): Promise<void>;
  /** Their ids, the first one first. */
  processes(): Promise<number[]>;
  /** Sends a signal to each of its processes, the first one first. */
  signalAll(signal: NodeJS.Signals): Promise<void>;
  /** Resolves once a new connection is answered. */
  answersAgain(): Promise<void>;
}

export async function startTestCluster({ hasOwnClock = false } = {}): Promise<TestCluster> {
  const place = await openDataFolder(makeTestFolder(), undefined);
  const found = await findBinaries(place);
  const clock = hasOwnClock ? makeDatabaseClock(found) : undefined;
  const binaries = clock?.binaries ?? found;
  const secrets = await openSecrets(place);
  await ensureCluster(place, binaries, secrets.superuser, () => {});
  const cluster = new Cluster(place, binaries);
  const port = await freePort();
  // A commit that the disk takes more than a second for may count in the minute after its own: not what its clock is for.
  await cluster.start(port, hasOwnClock ? { fsync: 'off' } : {});
  closeOnce(() => cluster.stop(() => {}));
  await ensureDatabase(port, secrets);
  const url = (role: 'superuser' | 'owner' | 'observer' | 'gates' | 'record'): string =>
    `postgres://${EMBEDDED_NAMES[role]}:${secrets[role]}@127.0.0.1:${port}/${EMBEDDED_NAMES.database}`;
  const urls = {
    adminUrl: url('superuser'),
    ownerUrl: url('owner'),
    observerUrl: url('observer'),
    gatesUrl: url('gates'),
    recordUrl: url('record'),
  };
  await prepare(urls, () => {});
  const database = await connectTestDatabase(EMBEDDED_NAMES.database, urls, () => {});
  const processes = async (): Promise<number[]> => {
    const server = await cluster.running();
    if (!server) throw new Error('the cluster does not run');
    return [server.pid, ...childProcesses(server.pid)];
  };
  return {
    database,
    setClock(aheadS) {
      if (!clock) throw new Error('the cluster has no clock of its own');
      clock.set(aheadS);
    },
    stop: () => cluster.stop(() => {}),
    start: (settings = {}) => cluster.start(port, settings),
    async startAsStandby() {
      await cluster.stop(() => {});
      writeFileSync(join(place.cluster, 'standby.signal'), '');
      await cluster.start(port, {});
    },
    processes,
    async signalAll(signal) {
      for (const pid of await processes()) process.kill(pid, signal);
    },
    async answersAgain() {
      await until(async () => {
        const sql = postgres(urls.adminUrl, { max: 1, fetch_types: false, connect_timeout: 1 });
        await sql`select 1`.finally(() => sql.end({ timeout: 1 }));
      }, 60_000);
    },
  };
}

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { admitEveryDatabase } from './admit-every-database.ts';

/** Connection strings of the cluster that the test files share; each file makes a database of its own in it. */
export interface ClusterUrls {
  /** Leads to the database `postgres`: that of Triagem is the template of the tests', and nobody may be in it then. */
  readonly admin: string;
  readonly owner: string;
  readonly observer: string;
  readonly gates: string;
  readonly record: string;
}

/**
 * Starts one real PostgreSQL for a whole run, in a folder of its own, and removes both: for the first project that has
 * tests to run, and what it provides is there for those after it.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { vitest } = project;
  if (vitest.getRootProject().getProvidedContext().clusterUrls) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'triagem-test-'));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(folder, 0o755);
  const usedDataFolder = join(folder, 'used');
  const first = await startEmbeddedDatabase({ dataDir: usedDataFolder, port: 0, log: () => {} });
  await first.stop();
  const dataDir = join(folder, 'shared');
  execFileSync('cp', ['-a', usedDataFolder, dataDir]);
  const database = await startEmbeddedDatabase({
    dataDir,
    port: 0,
    settings: {
      max_connections: '200',
      max_wal_senders: '40',
      // Histories are recounted by it.
      track_commit_timestamp: 'on',
      max_replication_slots: '40',
      // Subscriptions of several tests at once, whose workers need not pause for 5 s after an error.
      max_worker_processes: '40',
      max_logical_replication_workers: '24',
      wal_retrieve_retry_interval: '500ms',
      // No test crashes the machine under it.
      fsync: 'off',
      // What it does beside the tests, and what each connection costs: a test's table is small, and soon gone.
      autovacuum: 'off',
      shared_buffers: '32MB',
      io_method: 'sync',
    },
    log: () => {},
  });
  await admitEveryDatabase(database);
  vitest.provide('usedDataFolder', usedDataFolder);
  vitest.provide('clusterUrls', {
    admin: Object.assign(new URL(database.adminUrl), { pathname: '/postgres' }).href,
    owner: database.ownerUrl,
    observer: database.observerUrl,
    gates: database.gatesUrl,
    record: database.recordUrl,
  });
  const postmaster = Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  // A run that is interrupted gets no teardown: PostgreSQL, in a session of its own, would outlive it.
  const abandon = (): void => {
    process.kill(postmaster, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  return async () => {
    process.off('exit', abandon);
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

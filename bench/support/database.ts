import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { usageOf } from '../../testing/server/process-usage.ts';
import type { Scope } from '../benchmark.ts';

/** A PostgreSQL of the benchmark's own, in a temporary folder that goes with it. */
export interface BenchDatabase extends EmbeddedDatabase {
  /** A superuser's only connection. */
  readonly admin: postgres.Sql;
  /** Processor time of all its processes so far, those of ended connections too. */
  readonly cpuMs: () => number;
}

/** `settings`: more PostgreSQL settings. */
export async function startDatabase(
  scope: Scope,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'triagem-bench-'));
  scope.stops.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(dataDir, 0o755);
  const database = await startEmbeddedDatabase({ dataDir, port: 0, settings, log: () => {} });
  scope.stops.push(() => stopAtOnce(database));
  const cpuMs = (): number => usageOf(postmasterPid(database)).familyCpuMs();
  return { ...database, admin: openSql(scope, database.adminUrl), cpuMs };
}

/** Without the checkpoint of an orderly stop, which can take longer than Ctrl-C may: nobody keeps this data. */
async function stopAtOnce(database: EmbeddedDatabase): Promise<void> {
  // From here on its end is wanted, and it is not started again.
  const stopped = database.stop();
  try {
    // Source: PostgreSQL documentation, "Shutting Down the Server": SIGQUIT is the immediate shutdown.
    process.kill(postmasterPid(database), 'SIGQUIT');
  } catch {
    // It is gone already.
  }
  await stopped;
}

function postmasterPid({ dataDir }: EmbeddedDatabase): number {
  return Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
}

/** One connection, unless `options` say more. It is ended, and its queries fail, on Ctrl-C. */
export function openSql(
  { signal, stops }: Scope,
  url: string,
  options: postgres.Options<{}> = {},
): postgres.Sql {
  signal.throwIfAborted();
  const quiet = { fetch_types: false, max_lifetime: null, onnotice: () => {} };
  const sql = postgres(url, { max: 1, ...quiet, ...options });
  const end = (): Promise<void> => sql.end({ timeout: 0 });
  signal.addEventListener('abort', end, { once: true });
  stops.push(end);
  return sql;
}

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import {
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../server/database/embedded/embedded-database.ts';
import { type Stop, stopAll } from './stops.ts';

/** A PostgreSQL of the benchmark's own, in a temporary folder that goes with it. */
export interface BenchDatabase extends EmbeddedDatabase {
  /** A superuser's only connection. */
  readonly admin: postgres.Sql;
}

/** `settings`: more PostgreSQL settings. Ends what is under way, with an error, when `signal` is aborted. */
export async function startBenchDatabase(
  signal: AbortSignal,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'triagem-bench-'));
  // As root, PostgreSQL runs as another account, which must get in.
  chmodSync(dataDir, 0o755);
  const stops: Stop[] = [() => rmSync(dataDir, { recursive: true, force: true })];
  const stop = (): Promise<void> => stopAll(stops);
  try {
    const database = await startEmbeddedDatabase({ dataDir, port: 0, settings, log: () => {} });
    stops.push(() => stopAtOnce(database));
    const admin = openSql(database.adminUrl, signal);
    stops.push(() => admin.end({ timeout: 0 }));
    return { ...database, admin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Without the checkpoint of an orderly stop, which can take longer than Ctrl-C may: nobody keeps this data. */
async function stopAtOnce(database: EmbeddedDatabase): Promise<void> {
  // From here on its end is wanted, and it is not started again.
  const stopped = database.stop();
  try {
    const file = join(database.dataDir, 'cluster', 'postmaster.pid');
    // Source: PostgreSQL documentation, "Shutting Down the Server": SIGQUIT is the immediate shutdown.
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGQUIT');
  } catch {
    // It is gone already.
  }
  await stopped;
}

/** One connection. It is ended, and its queries fail, when `signal` is aborted. */
export function openSql(url: string, signal: AbortSignal): postgres.Sql {
  signal.throwIfAborted();
  const sql = postgres(url, { max: 1, fetch_types: false, max_lifetime: null, onnotice: () => {} });
  signal.addEventListener('abort', () => void sql.end({ timeout: 0 }), { once: true });
  return sql;
}

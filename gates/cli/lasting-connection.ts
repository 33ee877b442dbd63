import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { hostUrls } from '../../domain/database-hosts.ts';
import type { Environment } from './command.ts';
import { explainDatabaseError } from './database-errors.ts';
import { TryAgainError } from './errors.ts';
import { untilRetired } from './primary.ts';
import { connect, findTarget, type Target } from './target.ts';

const RETRY_MS = 500;

/** Connections that survive the loss of a primary, where the database has several hosts. */
export interface LastingConnection {
  /**
   * Runs `work`. If the primary of several hosts is lost, `work` runs again on the next one, whether it was committed
   * before or not.
   *
   * @throws GatesError with cause and fix.
   */
  run<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

export function openLastingConnection(
  first: Target,
  max: number,
  env: Environment,
  stop: AbortSignal,
): LastingConnection {
  const isLasting = hostUrls(first.address).length > 1;
  let sql = connect(first, max);
  let watching = new AbortController();
  let reconnecting: Promise<void> | undefined;
  if (isLasting) void watch(first).catch(() => {});

  /** Failures here recur in the next `run`, which reports them. */
  async function watch(target: Target): Promise<void> {
    watching = new AbortController();
    const isRetired = await untilRetired(target, AbortSignal.any([stop, watching.signal]));
    if (isRetired) await reconnect('Another host is the primary now.');
  }

  /** Shared by all calls that lost the connection together. */
  function reconnect(why: string): Promise<void> {
    reconnecting ??= connectAgain(why).finally(() => (reconnecting = undefined));
    return reconnecting;
  }

  async function connectAgain(why: string): Promise<void> {
    process.stderr.write(`${why} Looking for the primary...\n`);
    watching.abort();
    await sql.end({ timeout: 0 });
    while (!stop.aborted) {
      try {
        const target = await findTarget(env, 'GATES_DATABASE_URL', { isTriedAgain: true });
        sql = connect(target, max);
        void watch(target).catch(() => {});
        return;
      } catch (error) {
        if (!(error instanceof TryAgainError)) throw error;
        await pause(RETRY_MS, undefined, { signal: stop }).catch(() => {});
      }
    }
  }

  return {
    async run(work) {
      for (;;) {
        const used = sql;
        try {
          return await work(used);
        } catch (error) {
          const explained = await explainDatabaseError(error, first);
          if (!isLasting || !(explained instanceof TryAgainError) || stop.aborted) throw explained;
          // Another call may have connected again meanwhile.
          if (used === sql) await reconnect(explained.message);
          if (stop.aborted) throw explained;
        }
      }
    },
    async end() {
      watching.abort();
      await sql.end({ timeout: 2 });
    },
  };
}

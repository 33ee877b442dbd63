import type postgres from 'postgres';
import { processorWaitMs, unhinderedNow } from './unhindered-time.ts';

/** Shorter than anything it is asked for lives. */
const SAMPLE_EVERY_MS = 50;

export interface Stopwatch {
  /** Stops it. In milliseconds. */
  elapsedMs(): Promise<number>;
}

/** Those whose work is measured, beside this process. */
interface Workers {
  /** Processes by their ids, asked for again and again: some come, some go. */
  readonly pids?: () => readonly (number | undefined)[];
  /** The observer's sessions in this database that have begun since, as far as they are there at the end. */
  readonly observersIn?: { readonly admin: postgres.Sql };
}

/**
 * Measures how long something takes that is promised within so many seconds: by the clock, less what this process and
 * those that do the work waited for a processor meanwhile (`unhinderedNow`). Nothing else is taken off: a pause, a
 * time-out or work of the product's own counts in full, however busy the machine is.
 */
export function startStopwatch({ pids = () => [], observersIn }: Workers = {}): Stopwatch {
  const waits = new Map<number, number>();
  const sample = (): void => {
    // What is gone tells nothing any more.
    for (const pid of pids()) {
      if (pid !== undefined) waits.set(pid, Math.max(processorWaitMs(pid), waits.get(pid) ?? 0));
    }
  };
  sample();
  const before = new Map(waits);
  const sampling = setInterval(sample, SAMPLE_EVERY_MS);
  const begunWallMs = Date.now();
  const begunMs = unhinderedNow();
  return {
    async elapsedMs() {
      sample();
      const ownMs = unhinderedNow() - begunMs;
      clearInterval(sampling);
      const theirs = [...waits].reduce((sum, [pid, waitMs]) => sum + waitMs - (before.get(pid) ?? 0), 0);
      const observers = observersIn ? await observersSince(observersIn.admin, begunWallMs) : [];
      return ownMs - theirs - observers.reduce((sum, pid) => sum + processorWaitMs(pid), 0);
    },
  };
}

async function observersSince(admin: postgres.Sql, wallMs: number): Promise<number[]> {
  const rows = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and usename = 'triagem_observer'
      and backend_start >= to_timestamp(${wallMs / 1_000})`;
  return rows.map(({ pid }) => pid);
}

import type postgres from 'postgres';
import { processorWaitMs, unhinderedNow } from './until.ts';

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
  /** The observer's sessions in this database, as far as they are there at the end. */
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
  const observersBefore = observersIn ? observerWaits(observersIn.admin) : noWaits;
  const begunMs = unhinderedNow();
  return {
    async elapsedMs() {
      sample();
      const ownMs = unhinderedNow() - begunMs;
      clearInterval(sampling);
      const theirs = [...waits].reduce((sum, [pid, waitMs]) => sum + waitMs - (before.get(pid) ?? 0), 0);
      const waitedBefore = await observersBefore;
      const observers = await (observersIn ? observerWaits(observersIn.admin) : noWaits);
      const observed = [...observers].reduce(
        (sum, [pid, waitMs]) => sum + waitMs - (waitedBefore.get(pid) ?? 0),
        0,
      );
      return ownMs - theirs - observed;
    },
  };
}

const noWaits = Promise.resolve<ReadonlyMap<number, number>>(new Map());

/** Of each session; of none where the database does not answer. */
function observerWaits(admin: postgres.Sql): typeof noWaits {
  const sessions = admin<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and usename = 'triagem_observer'`;
  return sessions.then(
    (rows) => new Map(rows.map(({ pid }) => [pid, processorWaitMs(pid)])),
    () => new Map(),
  );
}

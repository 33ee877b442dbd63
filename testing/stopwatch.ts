import { setTimeout as pause } from 'node:timers/promises';
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
 * Measures how long something takes that is promised within a number of seconds: by the clock, less what this process and
 * those that do the work waited for a processor meanwhile (`unhinderedNow`), and for a transaction of another test: a
 * replication slot waits for those of the whole cluster. Nothing else is taken off: a pause, a time-out or work of the
 * product's own counts in full, however busy the machine is.
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
  const others = observersIn && startSamplingOthers(observersIn.admin);
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
      return ownMs - theirs - observed - ((await others?.stop()) ?? 0);
    },
  };
}

/** `stop` resolves to how long a session waited for a transaction of another database, in milliseconds. */
function startSamplingOthers(admin: postgres.Sql): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let waitedMs = 0;
  const sampled = (async () => {
    for (let atMs = performance.now(); !stopping.signal.aborted;) {
      const waits = await waitsForOthers(admin);
      await pause(SAMPLE_EVERY_MS);
      if (waits) waitedMs += performance.now() - atMs;
      atMs = performance.now();
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await sampled;
      return waitedMs;
    },
  };
}

/** False where the database does not answer. */
async function waitsForOthers(admin: postgres.Sql): Promise<boolean> {
  const blockers = admin`
    select from pg_stat_activity waiting
    join pg_stat_activity blocker on blocker.pid = any(pg_blocking_pids(waiting.pid))
    where waiting.datname = current_database() and waiting.usename = 'triagem_observer'
      and waiting.wait_event = 'transactionid' and blocker.datname <> current_database()`;
  return blockers.then(
    ({ length }) => length > 0,
    () => false,
  );
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

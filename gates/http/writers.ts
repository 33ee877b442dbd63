import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../cli/command.ts';
import { errorMessage } from '../cli/errors.ts';
import { untilRetired } from '../cli/primary.ts';
import { findTarget, type Target } from '../cli/target.ts';
import type { Activity } from './activity.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { CommitQueue } from './commit-queue.ts';
import { watchReadings } from './readings-watch.ts';
import { unavailable } from './refusal.ts';
import { runWriter } from './writer.ts';

/** Only the second of the two writers takes large bodies: single tickets never wait behind them. */
const TAKES_LARGE = [false, true] as const;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 250;
/** Limits the wait, at the end, for a query that the database does not answer. */
const WATCH_END_LIMIT_MS = 1_000;

const LOST = 'The connection to the database is lost.';
const RETIRED = 'Another host is the primary now.';

export interface WritersOptions {
  readonly env: Environment;
  readonly target: Target;
  readonly queue: CommitQueue;
  readonly activity: Activity;
  readonly clocks: ClockWatch;
  readonly stop: AbortSignal;
  /** Its abort ends the writers at once, also those that wait for the database. */
  readonly giveUp: AbortSignal;
  readonly readingsMs: number;
  readonly log: (line: string) => void;
}

/**
 * Keeps the writers connected until `stop` aborts. While the database is unavailable, the queue is closed and they try to
 * connect again. Resolves once they are connected for the first time, with the promise of their end.
 *
 * @throws GatesError where the first connection fails.
 */
export async function startWriters(options: WritersOptions): Promise<{ readonly ended: Promise<void> }> {
  const first = await connectWriters(options, options.target);
  return { ended: keepConnected(options, first) };
}

async function keepConnected(options: WritersOptions, first: Connected): Promise<void> {
  const { env, queue, stop, log } = options;
  let connected: Connected | undefined = first;
  while (!stop.aborted) {
    if (connected) {
      queue.open();
      const { ended, watching } = connected;
      const why = await ended;
      connected = undefined;
      if (stop.aborted) {
        await Promise.race([watching, pause(WATCH_END_LIMIT_MS, undefined, { ref: false })]);
        return;
      }
      log(`${why === RETIRED ? why : [LOST, why].filter(Boolean).join(' ')} Connecting again...`);
    }
    for (let pauseMs = FIRST_PAUSE_MS; !connected; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (stop.aborted) return;
      try {
        connected = await connectWriters(
          options,
          await findTarget(env, 'GATES_DATABASE_URL', { isTriedAgain: true, before: options.target }),
        );
        log('Writing again.');
      } catch (error) {
        queue.close(unavailable(`${errorMessage(error)} Nothing was changed.`));
        await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
      }
    }
  }
}

interface Connected {
  /** Resolves once no writer uses a connection any more, with the reason. */
  readonly ended: Promise<string | undefined>;
  /** Resolves once the kept readings are no longer watched. */
  readonly watching: Promise<void>;
}

/**
 * Connects all writers. They end together: when one of them ends, or when another host becomes the primary.
 *
 * @throws GatesError unless all of them connect.
 */
async function connectWriters(options: WritersOptions, target: Target): Promise<Connected> {
  const { queue, activity, clocks, stop, giveUp, readingsMs } = options;
  const one = new AbortController();
  const retired = new AbortController();
  let isOver = false;
  const onLost = (): void => {
    // A connection that closes late must not close the queue of its successors.
    if (!isOver) queue.close(unavailable(`${LOST} Nothing was changed.`));
  };
  const ends = AbortSignal.any([stop, one.signal]);
  const writers: Promise<void>[] = [];
  const ready = TAKES_LARGE.map(
    (takesLarge) =>
      new Promise<string | undefined>((resolve, reject) => {
        const signals = { stop: ends, retired: AbortSignal.any([retired.signal, giveUp]) };
        const writer = runWriter({ target, queue, takesLarge, ...signals, onConnected: resolve, onLost });
        writers.push(writer.finally(() => one.abort()));
        writer.catch(reject);
      }),
  );
  const allEnded = Promise.allSettled(writers).then((results) => {
    isOver = true;
    const failed = results.find((result) => result.status === 'rejected');
    return failed && errorMessage(failed.reason);
  });
  const replaced = untilRetired(target, ends, (warning) => activity.noteHosts(warning)).then((isRetired) => {
    if (!isRetired) return allEnded;
    queue.close(unavailable(`${RETIRED} Nothing was changed.`));
    isOver = true;
    // Nobody waits for these writers: a silent host answers no commit.
    one.abort();
    retired.abort();
    return RETIRED;
  });
  const ended = Promise.race([allEnded, replaced]);
  try {
    [activity.databaseId] = await Promise.all(ready);
  } catch (error) {
    await allEnded;
    throw error;
  }
  const watching = watchReadings({ target, queue, activity, clocks, stop: ends, everyMs: readingsMs });
  return { ended, watching };
}

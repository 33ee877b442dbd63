import { performance } from 'node:perf_hooks';
import { alarmEntries } from '../model/alarms/alarm-entries.ts';
import { evaluateAlarms } from '../model/alarms/evaluate.ts';
import type { AlarmEvaluation } from '../model/alarms/evaluation.ts';
import type { LogState } from '../model/log/log-state.ts';
import { BUCKET_MS, bucketOf, MINUTE_MS } from '../model/series/minute.ts';
import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import { SOURCE_AGE_MS } from '../../domain/freshness.ts';
import { groundCapacity } from '../../domain/permitted-capacity.ts';

export interface AlarmWatchOptions extends EntryContext {
  readonly log: EventLog;
  /** The permitted capacity of each sector; null where none is set. */
  readonly capacities: () => readonly (number | null)[];
  /** How long the counts have been stale, in milliseconds; null while they are live. */
  readonly staleForMs: () => number | null;
  /** Whether there are counts, and the log has been read. */
  readonly isReady: () => boolean;
  /** Whether this process writes its findings into the log. */
  readonly mayNote: () => boolean;
}

/**
 * After this long without a boundary the rules are applied all the same: one of them is about missing data. A live source
 * passes the next one sooner: before that, its counts are of a later instant.
 */
const LOOK_EVERY_MS = BUCKET_MS + SOURCE_AGE_MS;
/** A boundary that is processed this late raises no alarm: the process slept. */
const TOO_LATE_MS = 10 * MINUTE_MS;

/** Applies the rules of alarms at each boundary, whether a desk is connected or not, and notes what is new in the log. */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions;
  #evaluation: AlarmEvaluation | undefined;
  /** The inputs of `#evaluation`: an instant of the series, and a state of the log. */
  #atMs = 0;
  #log: LogState | undefined;
  #lookedAtMs = -Infinity;
  /** The first snapshot, before which this process found nothing. */
  #sinceMs = -Infinity;

  constructor(options: AlarmWatchOptions) {
    this.#options = options;
  }

  /** The last evaluation, brought up to date with the log; `undefined` before the first. */
  get evaluation(): AlarmEvaluation | undefined {
    if (this.#evaluation && this.#log !== this.#options.log.state) this.#evaluation = this.#evaluate();
    return this.#evaluation;
  }

  snapshot(): void {
    if (this.#sinceMs === -Infinity) this.#sinceMs = this.#options.nowMs();
  }

  /** `behindMs`: how long ago the boundary was, by the clock of the series. */
  boundary(boundaryMs: number, behindMs: number): void {
    if (behindMs <= TOO_LATE_MS) this.#look(boundaryMs);
  }

  /** Is called each second, since boundaries may fail to come. */
  tick(): void {
    if (performance.now() - this.#lookedAtMs >= LOOK_EVERY_MS) this.#look(bucketOf(this.#options.nowMs()));
  }

  /**
   * Applies the rules as of `nowMs`, so that a late stream does not move an alarm. They know the commands given since: what may
   * follow from one is not dated before it.
   */
  #look(nowMs: number): void {
    const { log, isReady, mayNote } = this.#options;
    if (!isReady()) return;
    this.#lookedAtMs = performance.now();
    this.#atMs = nowMs;
    const evaluation = this.#evaluate();
    this.#evaluation = evaluation;
    if (!mayNote()) return;
    const atMs = Math.max(nowMs, this.#sinceMs, Math.min(log.lastCommandMs, this.#options.nowMs()));
    for (const { id, ...content } of alarmEntries(evaluation, log.state, nowMs))
      log.note(id, () => makeEntry(this.#options, id, content, { atMs }));
  }

  #evaluate(): AlarmEvaluation {
    const { log, series, sectors, capacities, staleForMs } = this.#options;
    this.#log = log.state;
    const permitted = capacities();
    return evaluateAlarms({
      series,
      codes: sectors,
      capacities: permitted,
      groundCapacity: groundCapacity(permitted),
      log: this.#log,
      staleForMs: staleForMs(),
      nowMs: this.#atMs,
      behindMs: this.#options.nowMs() - this.#atMs,
    });
  }
}

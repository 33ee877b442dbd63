import { performance } from 'node:perf_hooks';
import { alarmEntries } from '../model/alarms/alarm-entries.ts';
import { evaluateAlarms } from '../model/alarms/evaluate.ts';
import type { AlarmEvaluation } from '../model/alarms/evaluation.ts';
import type { LogState } from '../model/log/log-state.ts';
import { bucketOf, MINUTE_MS } from '../model/series/minute.ts';
import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import { groundCapacity } from '../../domain/permitted-capacity.ts';

export interface AlarmWatchOptions extends EntryContext {
  readonly log: EventLog;
  /** Permitted, by place; null: nobody says. */
  readonly capacities: () => readonly (number | null)[];
  /** Since when the counts are not live, in milliseconds; null: they are. */
  readonly staleForMs: () => number | null;
  /** Whether there is something to look at, and what the log says of it. */
  readonly isReady: () => boolean;
  /** Whether it is this process that notes what it finds. */
  readonly mayNote: () => boolean;
}

/** So long without a boundary, the rules look at what there is: that nothing comes is what one of them is about. */
const LOOK_EVERY_MS = 10_000;
/** Boundaries that are passed so late were slept through: what was odd then calls nobody now. */
const TOO_LATE_MS = 10 * MINUTE_MS;

/** Applies the rules of alarms at each boundary, whether a desk looks or not, and notes what is new to the log. */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions;
  #evaluation: AlarmEvaluation | undefined;
  /** What `#evaluation` is of: an instant of the series, and what the log said. */
  #atMs = 0;
  #log: LogState | undefined;
  /** By the monotonic clock. */
  #lookedAtMs = -Infinity;

  constructor(options: AlarmWatchOptions) {
    this.#options = options;
  }

  /** As of the last look, and of the log as it is now: what operators say holds at once. `undefined` before the first. */
  get evaluation(): AlarmEvaluation | undefined {
    if (this.#evaluation && this.#log !== this.#options.log.state) this.#evaluation = this.#evaluate();
    return this.#evaluation;
  }

  /** The series has passed one; by its clock, that was so long ago. */
  boundary(boundaryMs: number, behindMs: number): void {
    if (behindMs <= TOO_LATE_MS) this.#look(boundaryMs);
  }

  /** Each second, as no boundary may come. */
  tick(): void {
    if (performance.now() - this.#lookedAtMs >= LOOK_EVERY_MS) this.#look(bucketOf(this.#options.nowMs()));
  }

  /** What was found is of this instant: how late the stream told of it moves no alarm. */
  #look(nowMs: number): void {
    const { log, isReady, mayNote } = this.#options;
    if (!isReady()) return;
    this.#lookedAtMs = performance.now();
    this.#atMs = nowMs;
    const evaluation = this.#evaluate();
    this.#evaluation = evaluation;
    if (!mayNote()) return;
    for (const { id, ...content } of alarmEntries(evaluation, log.state, nowMs))
      log.note(id, () => makeEntry(this.#options, id, content, { atMs: nowMs }));
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
    });
  }
}

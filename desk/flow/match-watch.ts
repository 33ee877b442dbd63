import { performance } from 'node:perf_hooks';
import type { Freshness } from '../../domain/event-state.ts';
import type { AlarmEvaluation } from '../model/alarms/evaluation.ts';
import type { Forecast } from '../model/forecast/forecast.ts';
import type { TrackRecord } from '../model/forecast/track-record.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import { sourceState } from '../../domain/live-message.ts';
import { AlarmWatch } from './alarm-watch.ts';
import type { EntryContext } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { FlowGuard } from './flow-guard.ts';
import { Forecasts } from './forecasts.ts';
import { IncompleteWatch, type IncompleteListener } from './incomplete-watch.ts';
import { Interruptions } from './interruptions.ts';
import type { FlowRecord, RecordState } from '../record/record.ts';
import type { RecordedHistory } from '../record/recorded-history.ts';

export interface MatchWatchOptions extends EntryContext {
  readonly eventId: string;
  readonly log: EventLog;
  readonly record: FlowRecord;
  /** The permitted capacity of each sector; null where none is set. */
  readonly capacities: () => readonly (number | null)[];
  readonly freshness: () => Freshness;
  readonly hasCounts: () => boolean;
  /** Whether the event has anything to record. */
  readonly hasBegun: () => boolean;
  /** Is called once the log is read, after each snapshot, and at each change. */
  readonly onIncomplete: IncompleteListener;
}

const TICK_MS = 1_000;
/** A lost replication session is back sooner. Two processes without tickets hand the record over ever more rarely. */
const BLIND_AFTER_MS = 10_000;
const MAX_PATIENCE_MS = 300_000;

/**
 * Runs alarms and forecasts, whether a desk is connected or not. The record's leader notes the findings; while the record is
 * unavailable, its last leader does, and they are written later.
 */
export class MatchWatch {
  readonly #options: MatchWatchOptions;
  readonly #alarms: AlarmWatch;
  readonly #forecasts: Forecasts;
  readonly #incomplete: IncompleteWatch;
  readonly #interruptions: Interruptions;
  readonly #isReady: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isLogRead = false;
  #isLeader = false;
  /** Since when the counts have been stale, by the monotonic clock; `undefined` while they are live. */
  #blindSinceMs: number | undefined;
  #patienceMs = BLIND_AFTER_MS;

  constructor(options: MatchWatchOptions) {
    this.#options = options;
    const { freshness, hasCounts, hasBegun, record } = options;
    const isReady = (): boolean => hasCounts() && this.#isLogRead;
    this.#isReady = isReady;
    const mayNote = (): boolean =>
      isReady() && hasBegun() && this.#isLeader && record.state.kind !== 'standby';
    const staleForMs = (): number | null => {
      const source = sourceState(freshness(), performance.now());
      return source.live ? null : source.ageMs;
    };
    this.#alarms = new AlarmWatch({ ...options, staleForMs, isReady, mayNote });
    this.#forecasts = new Forecasts({ ...options, isLive: () => freshness().live, mayNote });
    this.#incomplete = new IncompleteWatch(options.onIncomplete);
    this.#interruptions = new Interruptions({ ...options, mayNote });
  }

  /** `guard` keeps a fault from ending the process. Once it has stopped the flow, this process still yields leadership. */
  start(guard: FlowGuard): void {
    const tick = guard.repeat(
      () => this.#tick(),
      () => this.#yieldWhileBlind(),
    );
    this.#timer = setInterval(tick, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get evaluation(): AlarmEvaluation | undefined {
    return this.#alarms.evaluation;
  }

  /** Whether the log has been read since this process started. */
  get isLogRead(): boolean {
    return this.#isLogRead;
  }

  /** Whether this process is the record's last known leader. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  get forecast(): Forecast {
    return this.#forecasts.forecast;
  }

  forecastAt(...moment: Parameters<Forecasts['at']>): Forecast {
    return this.#forecasts.at(...moment);
  }

  get trackRecord(): readonly TrackRecord[] {
    return this.#forecasts.trackRecord;
  }

  usualCurve(sector?: number): UsualCurve | null {
    return this.#forecasts.usualCurve(sector);
  }

  setHistory(history: RecordedHistory): void {
    this.#forecasts.setHistory(history);
  }

  /** `behindMs`: how long ago the boundary was, by the clock of the series. */
  boundary(boundaryMs: number, behindMs: number): void {
    this.#alarms.boundary(boundaryMs, behindMs);
    this.#forecasts.boundary(boundaryMs);
  }

  snapshot(): void {
    this.#alarms.snapshot();
    this.#incomplete.snapshot();
    this.#lookForIncomplete();
  }

  /** The tickets were not observed between these times. */
  interrupted(fromMs: number, toMs: number): void {
    this.#interruptions.tickets(fromMs, toMs);
  }

  /** The whole log has been read: at first, and after each loss of the record. */
  logRead(): void {
    this.#isLogRead = true;
    this.#interruptions.recordRead();
    this.#lookForIncomplete();
  }

  /** This process is the record's leader from now on. */
  leader(): void {
    this.#isLeader = true;
  }

  #tick(): void {
    const { log, record } = this.#options;
    if (this.#isLeader && record.state.kind === 'standby') {
      this.#isLeader = false;
      log.withdrawAlarms();
    }
    this.#yieldWhileBlind();
    this.#alarms.tick();
    this.#interruptions.tick();
    this.#lookForIncomplete();
  }

  #lookForIncomplete(): void {
    const { log, record, hasCounts } = this.#options;
    if (this.#isReady()) this.#incomplete.look(log.state);
    else if (hasCounts() && isUnavailable(record.state)) this.#incomplete.unknown();
  }

  /** A leader that does not see the tickets yields. */
  #yieldWhileBlind(): void {
    const { freshness, record } = this.#options;
    if (freshness().live) {
      this.#blindSinceMs = undefined;
      this.#patienceMs = BLIND_AFTER_MS;
      return;
    }
    const nowMs = performance.now();
    this.#blindSinceMs ??= nowMs;
    if (nowMs - this.#blindSinceMs < this.#patienceMs || !record.yieldLeadership()) return;
    this.#blindSinceMs = nowMs;
    this.#patienceMs = Math.min(2 * this.#patienceMs, MAX_PATIENCE_MS);
  }
}

/** Whether an attempt to reach the record has failed. */
function isUnavailable(state: RecordState): boolean {
  return state.kind === 'away' && state.reason !== 'starting';
}

import { EarlierMatches } from '../model/forecast/earlier-matches.ts';
import type { Forecast } from '../model/forecast/forecast.ts';
import { type ForecastSources, makeForecast } from '../model/forecast/make-forecast.ts';
import { outcomesDue } from '../model/forecast/outcome.ts';
import { storedForecastOf, storedMinutesBefore } from '../model/forecast/stored-forecast.ts';
import type { TrackRecord } from '../model/forecast/track-record.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { LogState } from '../model/log/log-state.ts';
import { bucketOf } from '../model/series/minute.ts';
import { type EntryContent, type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { RecordedHistory } from '../record/recorded-history.ts';

export interface ForecastsOptions extends EntryContext {
  readonly eventId: string;
  readonly log: EventLog;
  readonly isLive: () => boolean;
  /** Whether this process writes them into the log. */
  readonly mayNote: () => boolean;
}

/** The inputs of a forecast: a change of one of them invalidates it. */
interface Basis {
  readonly bucketMs: number;
  readonly state: LogState;
  readonly isLive: boolean;
  readonly earlier: EarlierMatches;
}

/** Forecasts of one event: the current one, and those that are recorded when due and judged after kick-off. */
export class Forecasts {
  readonly #options: ForecastsOptions;
  #earlier: EarlierMatches;
  #trackRecord: readonly TrackRecord[] = [];
  #made: { readonly basis: Basis; readonly forecast: Forecast } | undefined;

  constructor(options: ForecastsOptions) {
    this.#options = options;
    this.#earlier = this.#earlierOf([]);
  }

  /** The current forecast: at most ten seconds old, and newer than the last entry of an operator. */
  get forecast(): Forecast {
    const { log, isLive, nowMs } = this.#options;
    const atMs = nowMs();
    const basis = { bucketMs: bucketOf(atMs), state: log.state, isLive: isLive(), earlier: this.#earlier };
    if (!this.#made || !isSame(this.#made.basis, basis)) this.#made = { basis, forecast: this.#make(atMs) };
    return this.#made.forecast;
  }

  /** How often forecasts of earlier matches held. */
  get trackRecord(): readonly TrackRecord[] {
    return this.#trackRecord;
  }

  /** Returns the curve of the sector with this index or of the whole ground; null with too few earlier matches. */
  usualCurve(sector?: number): UsualCurve | null {
    const { total, sectors } = this.#earlier;
    return (sector === undefined ? total : sectors[sector])?.usualCurve() ?? null;
  }

  setHistory({ matches, trackRecord }: RecordedHistory): void {
    this.#earlier = this.#earlierOf(matches);
    this.#trackRecord = trackRecord;
  }

  /** Records at each boundary what is due. */
  boundary(boundaryMs: number): void {
    const { log, series, mayNote, nowMs } = this.#options;
    if (!mayNote()) return;
    const { state } = log;
    // No entry stands before the command that it follows from.
    const atMs = Math.max(boundaryMs, Math.min(log.lastCommandMs, nowMs()));
    const isDue = storedMinutesBefore(boundaryMs, state.kickOffAtMs ?? Infinity) !== undefined;
    const stored = isDue ? storedForecastOf(this.#make(boundaryMs)) : null;
    if (stored) this.#note(stored.id, atMs, { kind: 'forecast', sector: null, data: stored.data });
    const rows = (['forecast', 'outcome'] as const).flatMap((kind) => log.of(kind));
    for (const { id, data } of outcomesDue({ log: rows, state, series }))
      this.#note(id, atMs, { kind: 'outcome', sector: null, data });
  }

  #make(nowMs: number): Forecast {
    const { log, series, sectors, isLive } = this.#options;
    return makeForecast({
      nowMs,
      isLive: isLive(),
      series,
      codes: sectors,
      log: log.state,
      earlier: this.#earlier,
    });
  }

  /** Makes the forecast of an earlier moment, with today's earlier matches. */
  at(moment: Omit<ForecastSources, 'codes' | 'earlier'>): Forecast {
    return makeForecast({ ...moment, codes: this.#options.sectors, earlier: this.#earlier });
  }

  #note(id: string, atMs: number, content: EntryContent): void {
    this.#options.log.note(id, () => makeEntry(this.#options, id, content, { atMs }));
  }

  #earlierOf(matches: RecordedHistory['matches']): EarlierMatches {
    const { eventId, sectors, source } = this.#options;
    return new EarlierMatches({ eventId, matches, codes: sectors, isSimulated: source === 'simulated' });
  }
}

function isSame(a: Basis, b: Basis): boolean {
  return a.bucketMs === b.bucketMs && a.state === b.state && a.isLive === b.isLive && a.earlier === b.earlier;
}

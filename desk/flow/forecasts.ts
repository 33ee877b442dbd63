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
  /** Whether it is this process that notes them. */
  readonly mayNote: () => boolean;
}

/** What a forecast was made from: it is made anew where one of these is another. */
interface Basis {
  readonly bucketMs: number;
  readonly state: LogState;
  readonly isLive: boolean;
  readonly earlier: EarlierMatches;
}

/** Forecasts of one event as they are asked for, and those that are kept: noted when they are due, judged after kick-off. */
export class Forecasts {
  readonly #options: ForecastsOptions;
  #earlier: EarlierMatches;
  #trackRecord: readonly TrackRecord[] = [];
  #made: { readonly basis: Basis; readonly forecast: Forecast } | undefined;

  constructor(options: ForecastsOptions) {
    this.#options = options;
    this.#earlier = this.#earlierOf([]);
  }

  /** At most ten seconds old, and never older than what operators said. */
  get forecast(): Forecast {
    const { log, isLive, nowMs } = this.#options;
    const atMs = nowMs();
    const basis = { bucketMs: bucketOf(atMs), state: log.state, isLive: isLive(), earlier: this.#earlier };
    if (!this.#made || !isSame(this.#made.basis, basis)) this.#made = { basis, forecast: this.#make(atMs) };
    return this.#made.forecast;
  }

  /** How often those of earlier matches held. */
  get trackRecord(): readonly TrackRecord[] {
    return this.#trackRecord;
  }

  /** Of a sector by its place, or without one of the whole ground; null where too few earlier matches tell. */
  usualCurve(sector?: number): UsualCurve | null {
    const { total, sectors } = this.#earlier;
    return (sector === undefined ? total : sectors[sector])?.usualCurve() ?? null;
  }

  /** What the record holds of other events. */
  setHistory({ matches, trackRecord }: RecordedHistory): void {
    this.#earlier = this.#earlierOf(matches);
    this.#trackRecord = trackRecord;
  }

  /** At each boundary: notes what is due. */
  boundary(boundaryMs: number): void {
    const { log, series, mayNote } = this.#options;
    if (!mayNote()) return;
    const { state } = log;
    const isDue = storedMinutesBefore(boundaryMs, state.kickOffAtMs ?? Infinity) !== undefined;
    const stored = isDue ? storedForecastOf(this.#make(boundaryMs)) : null;
    if (stored) this.#note(stored.id, boundaryMs, { kind: 'forecast', sector: null, data: stored.data });
    const rows = (['forecast', 'outcome'] as const).flatMap((kind) => log.of(kind));
    for (const { id, data } of outcomesDue({ log: rows, state, series }))
      this.#note(id, boundaryMs, { kind: 'outcome', sector: null, data });
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

  /** Of an earlier moment, with the earlier matches that are known now. */
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

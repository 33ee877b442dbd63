import { EarlierMatches } from '../../domain/flow/forecast/earlier-matches.ts';
import type { Forecast } from '../../domain/flow/forecast/forecast.ts';
import { makeForecast } from '../../domain/flow/forecast/make-forecast.ts';
import { outcomesDue } from '../../domain/flow/forecast/outcome.ts';
import { storedForecastOf } from '../../domain/flow/forecast/stored-forecast.ts';
import type { TrackRecord } from '../../domain/flow/forecast/track-record.ts';
import type { LogState } from '../../domain/flow/log-state.ts';
import { bucketOf } from '../../domain/flow/minute.ts';
import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { RecordedHistory } from './record/recorded-history.ts';

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
    const { log, series, sectors, isLive, nowMs } = this.#options;
    const atMs = nowMs();
    const basis = { bucketMs: bucketOf(atMs), state: log.state, isLive: isLive(), earlier: this.#earlier };
    const made = this.#made;
    if (made && sameBasis(made.basis, basis)) return made.forecast;
    const forecast = makeForecast({
      nowMs: atMs,
      isLive: basis.isLive,
      series,
      codes: sectors,
      log: basis.state,
      earlier: basis.earlier,
    });
    this.#made = { basis, forecast };
    return forecast;
  }

  /** How often those of earlier matches held. */
  get trackRecord(): readonly TrackRecord[] {
    return this.#trackRecord;
  }

  /** What the record holds of other events. */
  learn({ matches, trackRecord }: RecordedHistory): void {
    this.#earlier = this.#earlierOf(matches);
    this.#trackRecord = trackRecord;
  }

  /** At each boundary: notes what is due. */
  boundary(): void {
    const { log, series, mayNote } = this.#options;
    if (!mayNote()) return;
    const stored = storedForecastOf(this.forecast);
    const outcomes = outcomesDue({
      log: [...log.of('forecast'), ...log.of('outcome')],
      state: log.state,
      series,
    });
    if (stored) this.#note(stored.id, { kind: 'forecast', sector: null, data: stored.data });
    for (const { id, data } of outcomes) this.#note(id, { kind: 'outcome', sector: null, data });
  }

  #note(id: string, content: Parameters<typeof makeEntry>[2]): void {
    this.#options.log.note(id, () => makeEntry(this.#options, id, content));
  }

  #earlierOf(matches: RecordedHistory['matches']): EarlierMatches {
    const { eventId, sectors, source } = this.#options;
    return new EarlierMatches({ eventId, matches, codes: sectors, isSimulated: source === 'simulated' });
  }
}

function sameBasis(a: Basis, b: Basis): boolean {
  return a.bucketMs === b.bucketMs && a.state === b.state && a.isLive === b.isLive && a.earlier === b.earlier;
}

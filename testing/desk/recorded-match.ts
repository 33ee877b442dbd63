import {
  type EarlierMatch,
  readEarlierMatch,
  type RecordedMatch,
} from '../../desk/model/forecast/earlier-match.ts';
import type { ForecastSources } from '../../desk/model/forecast/make-forecast.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';

/** Returns the count at a minute to kick-off. */
export type AdmittedAt = (min: number) => number;

export interface RecordedSector {
  readonly code: string;
  readonly valid: number;
  readonly admittedAt: AdmittedAt;
}

export interface RecordedMatchOptions extends Partial<Omit<RecordedMatch, 'counts' | 'kickOffAtMs'>> {
  readonly kickOffAtMs: number;
  readonly sectors: readonly RecordedSector[];
  /** The first and the last confirmed minute to kick-off. */
  readonly fromMin?: number;
  readonly toMin?: number;
  /** Unconfirmed minutes between them. */
  readonly missingMin?: readonly number[];
}

/** Returns a recorded match whose kick-off is in `event_details`. */
export function recordedMatch(options: RecordedMatchOptions): RecordedMatch {
  const { kickOffAtMs, sectors, fromMin = -150, toMin = 70, missingMin = [] } = options;
  const { eventId = 'earlier', source = 'live', log = [] } = options;
  const minutes = Array.from({ length: toMin - fromMin }, (_, n) => fromMin + n);
  const counts = minutes
    .filter((min) => !missingMin.includes(min))
    .flatMap((min) =>
      sectors.map(({ code, valid, admittedAt }) => ({
        sector: code,
        minuteMs: kickOffAtMs + min * MINUTE_MS,
        admitted: admittedAt(min + 1),
        net: admittedAt(min + 1) - admittedAt(min),
        valid,
        lots: 0,
      })),
    );
  return { eventId, source, log, counts, kickOffAtMs };
}

/** Returns a recorded match as a forecast knows it. Throws where it is no base for one. */
export function earlierMatch(options: RecordedMatchOptions): EarlierMatch {
  const match = readEarlierMatch(recordedMatch(options));
  if ('unfit' in match) throw new Error(match.unfit);
  return match;
}

/** Returns the log of a match of which nobody says anything but when it begins. */
export function quietLog(kickOffAtMs: number): ForecastSources['log'] {
  return {
    kickOffAtMs,
    plannedKickOffAtMs: kickOffAtMs,
    marks: [],
    uncounted: [],
    entryClosedAtMs: null,
    evacuatedAtMs: null,
  };
}

/** `coming` people come, half of them by `centre` minutes to kick-off, most of them within forty minutes around it. */
export function crowd(coming: number, centre: number, scale = 12): AdmittedAt {
  return (min) => Math.round(coming / (1 + Math.exp((centre - min) / scale)));
}

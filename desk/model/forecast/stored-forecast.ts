import { MINUTE_MS } from '../series/minute.ts';
import type { Forecast } from './forecast.ts';
import { STORED_AT_MIN, STORED_LATE_MS } from './limits.ts';

/** A forecast of the ground as the log keeps it; counts are people, the range null where there was none. */
export interface StoredForecast {
  /** One of STORED_AT_MIN. */
  readonly minutesBefore: number;
  /** The kick-off that it is for: it is judged by who was in then, whatever was set later. */
  readonly kickOffAtMs: number;
  readonly expected: number;
  readonly perMinuteNeeded: number;
  /** How many of those who were in had passed unread, as estimated; absent where there were none. */
  readonly estimated?: number;
  /** The codes of the sectors that it leaves out: it is never judged; absent where it is of the whole ground. */
  readonly without?: readonly string[];
  readonly range: StoredRange | null;
}

interface StoredRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly matches: number;
  readonly coverage: number | null;
}

/** What came of a stored forecast. */
export interface StoredOutcome {
  /** The `id` of the forecast's entry. */
  readonly forecast: string;
  /** Who was in at its kick-off; null where that was not watched, or counts were incomplete or entry broken off by then. */
  readonly admitted: number | null;
  /** Whether that lay within the range; null without either. */
  readonly isHeld: boolean | null;
}

/** What is to be noted of a forecast, if it is one of those that are kept: the same one again has the same id. */
export function storedForecastOf(
  forecast: Forecast,
): { readonly id: string; readonly data: StoredForecast } | null {
  if (forecast.kind === 'none') return null;
  const { total, without } = forecast;
  const outlook = total?.[0];
  if (!outlook) return null;
  const { kickOffAtMs, expected, perMinuteNeeded, estimated, range } = outlook;
  const minutesBefore = storedMinutesBefore(forecast.atMs, kickOffAtMs);
  if (minutesBefore === undefined) return null;
  const data: StoredForecast = {
    minutesBefore,
    kickOffAtMs,
    expected: expected.count,
    perMinuteNeeded,
    ...(estimated !== undefined && { estimated }),
    ...(without && { without }),
    range:
      'why' in range
        ? null
        : {
            low: range.low,
            middle: range.middle,
            high: range.high,
            matches: range.matches,
            coverage: range.coverage,
          },
  };
  return { id: `forecast:${kickOffAtMs}:${minutesBefore}`, data };
}

/** Which of STORED_AT_MIN a forecast of that moment is; `undefined`: it is not kept. */
export function storedMinutesBefore(atMs: number, kickOffAtMs: number): number | undefined {
  return STORED_AT_MIN.find((minutes) => {
    const lateMs = atMs - (kickOffAtMs - minutes * MINUTE_MS);
    return lateMs >= 0 && lateMs < STORED_LATE_MS;
  });
}

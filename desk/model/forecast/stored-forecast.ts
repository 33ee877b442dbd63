import { MINUTE_MS } from '../series/minute.ts';
import type { Forecast } from './forecast.ts';
import { STORED_AT_MIN, STORED_LATE_MS } from './limits.ts';
import { roundedRange } from './rounded-range.ts';

/** A forecast of the ground in the log; counts are people. */
export interface StoredForecast {
  /** One of STORED_AT_MIN. */
  readonly minutesBefore: number;
  /** The kick-off that it is for and judged by, whatever was set later. */
  readonly kickOffAtMs: number;
  readonly expected: number;
  readonly perMinuteNeeded: number;
  /** The estimate of people who had passed unread, if any. */
  readonly estimated?: number;
  /** The codes of the sectors that it leaves out, if any: such a forecast is never judged. */
  readonly without?: readonly string[];
  readonly range: StoredRange | null;
}

/** `low` and `high` are rounded as on the desk; in older records they are not. */
interface StoredRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly matches: number;
  readonly coverage: number | null;
}

export interface StoredOutcome {
  /** The `id` of the forecast's entry. */
  readonly forecast: string;
  /** The count at its kick-off; null if it was not observed, or was incomplete or broken off by then. */
  readonly admitted: number | null;
  /** Whether the count lay within the range; null without either. */
  readonly isHeld: boolean | null;
  /** Why `admitted` is null; absent in older records. */
  readonly why?: Unjudged;
}

/** `incomplete`: people had passed unread by then; `unseen`: nobody watched that minute. */
export type Unjudged = 'incomplete' | 'entry-closed' | 'evacuated' | 'unseen';

/** Returns the entry for a forecast that is to be recorded; a repeated one has the same id. */
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
            ...roundedRange(range, outlook),
            middle: range.middle,
            matches: range.matches,
            coverage: range.coverage,
          },
  };
  return { id: `forecast:${kickOffAtMs}:${minutesBefore}`, data };
}

/** Returns which of STORED_AT_MIN is due at that moment, if any. */
export function storedMinutesBefore(atMs: number, kickOffAtMs: number): number | undefined {
  return STORED_AT_MIN.find((minutes) => {
    const lateMs = atMs - (kickOffAtMs - minutes * MINUTE_MS);
    return lateMs >= 0 && lateMs < STORED_LATE_MS;
  });
}

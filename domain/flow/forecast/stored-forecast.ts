/** A forecast of the whole ground as it is noted in the log, at the minutes of STORED_AT_MIN before kick-off. */
export interface StoredForecast {
  readonly minutesBefore: number;
  /** The kick-off that it is for: it is judged by who was in then, whatever was set later. */
  readonly kickOffAtMs: number;
  readonly expected: number;
  readonly perMinuteNeeded: number;
  readonly low: number | null;
  readonly middle: number | null;
  readonly high: number | null;
  /** How many earlier matches the range is made of; 0 without one. */
  readonly matches: number;
  readonly coverage: number | null;
}

/** What came of a stored forecast. */
export interface StoredOutcome {
  /** The `id` of the forecast's entry. */
  readonly forecast: string;
  /** Who was in at its kick-off; null where that is not known, or was incomplete. */
  readonly admitted: number | null;
  /** Whether that lay within the range; null without either. */
  readonly isHeld: boolean | null;
}

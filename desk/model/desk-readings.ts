/** How many tickets wait as entered, or readings of gates over HTTP were refused, by reason (gates/http/request-outcome.ts). */
export interface ReadingCount {
  readonly outcome: 'kept' | 'refused';
  readonly reason: string;
  readonly count: number;
}

/** A desk gets the refused readings, and those of unknown events, of this many minutes. */
export const READINGS_MINUTES = 10;

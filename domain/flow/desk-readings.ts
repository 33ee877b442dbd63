/** What became of readings of gates over HTTP that are not in the count. */
export type ReadingOutcome = 'kept' | 'refused';

/** How many readings of the last minutes are not in the count for one reason (gates/http/request-outcome.ts has them). */
export interface ReadingCount {
  readonly outcome: ReadingOutcome;
  readonly reason: string;
  readonly count: number;
}

/** Of so many minutes a desk is told. */
export const READINGS_MINUTES = 10;

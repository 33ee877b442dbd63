/** How many readings of gates over HTTP are not in the count for one reason (gates/http/request-outcome.ts has them). */
export interface ReadingCount {
  readonly outcome: 'kept' | 'refused';
  readonly reason: string;
  readonly count: number;
}

/** Of so many minutes a desk is told. */
export const READINGS_MINUTES = 10;

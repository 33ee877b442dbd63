/** Admissions a second: a full stadium's peak is 15, a giant one's 50. `share`: of the longest time; p99 needs enough of them. */
export const RATES = [
  { perSecond: 15, share: 1 },
  { perSecond: 50, share: 0.6 },
  { perSecond: 200, share: 0.4 },
  { perSecond: 500, share: 0.3 },
] as const;

/**
 * Minutes are counted from kick-off. The shape is that of Castelão, 26 March 2025: gates open two hours before, 44% are in a
 * quarter of an hour before kick-off, and 56% come in the half hour after that.
 */
export const GATES_OPEN_MINUTE = -120;
export const LAST_ARRIVAL_MINUTE = 15;

/** Arrivals per minute at these minutes, as a share of all; linear in between. */
const RATES = [
  { minute: GATES_OPEN_MINUTE, rate: 0.0012 },
  { minute: -15, rate: 0.007_18 },
  { minute: -3, rate: 0.034_46 },
  { minute: LAST_ARRIVAL_MINUTE, rate: 0 },
] as const;

const SEGMENTS = RATES.slice(1).map((to, index) => {
  const from = RATES[index] ?? to;
  return { from, to, share: ((from.rate + to.rate) / 2) * (to.minute - from.minute) };
});
const WHOLE = SEGMENTS.reduce((sum, { share }) => sum + share, 0);

/** Returns the minute by which `share` (0 to 1) of the spectators have come. */
export function arrivalMinute(share: number): number {
  let left = Math.min(Math.max(share, 0), 1) * WHOLE;
  for (const { from, to, share: size } of SEGMENTS) {
    if (left <= size)
      return from.minute + minutesFor(left, from.rate, (to.rate - from.rate) / (to.minute - from.minute));
    left -= size;
  }
  return LAST_ARRIVAL_MINUTE;
}

/** Returns how long it takes until `share` have come, at a rate that starts at `rate` and grows by `slope` per minute. */
function minutesFor(share: number, rate: number, slope: number): number {
  // The root of slope/2 t² + rate t - share = 0, in the form that stays exact for a slope near 0.
  return (2 * share) / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * share))) || 0;
}

/**
 * When spectators arrive, in minutes from kick-off. The shape is that of Castelão, 26 March 2025: gates open two hours
 * before; 44% are in a quarter of an hour before kick-off, 56% come after that, over half an hour.
 */
export const GATES_OPEN_MINUTE = -120;
export const LAST_ARRIVAL_MINUTE = 15;

/** Arrivals per minute, as a share of all, at these minutes; in between it changes evenly. */
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

/** The minute by which `share` (0 to 1) of those who come have come. */
export function arrivalMinute(share: number): number {
  let left = Math.min(Math.max(share, 0), 1) * WHOLE;
  for (const { from, to, share: size } of SEGMENTS) {
    if (left <= size)
      return from.minute + minutesFor(left, from.rate, (to.rate - from.rate) / (to.minute - from.minute));
    left -= size;
  }
  return LAST_ARRIVAL_MINUTE;
}

/** How long until `share` have come at a rate that starts at `rate` and grows by `slope` each minute. */
function minutesFor(share: number, rate: number, slope: number): number {
  // The root of slope/2 t² + rate t - share = 0, in the form that stays exact where the slope is nearly nothing.
  return (2 * share) / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * share))) || 0;
}

/** A holder enters with a ticket, or that entry is taken back. */
export interface GateEvent {
  readonly minute: number;
  /** Index of the ticket. */
  readonly ticket: number;
  readonly entrou: boolean;
}

/** A share of the valid tickets' holders that comes at all, and of the others that gets in all the same. */
const COMING = { valid: 0.95, invalid: 0.05 };
const REVERTED = 0.003;
/** An entry is taken back soon after it, or not at all. */
const REVERT_DELAY_MINUTES = { shortest: 0.5, longest: 5 };

/**
 * All entries and reverts, in the order of time.
 *
 * @param isValid of each ticket, by index
 * @param random numbers from 0 to below 1: the same ones make the same schedule
 */
export function scheduleGateEvents(isValid: readonly boolean[], random: () => number): GateEvent[] {
  const events: GateEvent[] = [];
  for (const [ticket, valid] of isValid.entries()) {
    if (random() >= (valid ? COMING.valid : COMING.invalid)) continue;
    const minute = arrivalMinute(random());
    events.push({ minute, ticket, entrou: true });
    if (random() >= REVERTED) continue;
    const { shortest, longest } = REVERT_DELAY_MINUTES;
    events.push({ minute: minute + shortest + random() * (longest - shortest), ticket, entrou: false });
  }
  return events.toSorted((a, b) => a.minute - b.minute);
}

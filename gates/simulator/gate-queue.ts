/** A gate that admits, from `minute` on and for `minutes`, only `share` (0 to below 1) of those it would admit. */
export interface Slowdown {
  readonly minute: number;
  readonly minutes: number;
  readonly share: number;
}

export interface GateOptions {
  /** The capacity of the gate. */
  readonly perMinute: number;
  readonly opensAtMinute: number;
  /** Draws the time for one person, as a multiple of the mean; by default 1. */
  readonly effort?: () => number;
}

/** Returns when people who arrive at these minutes, in order, get in through a first-come queue. */
export function passGate(
  minutes: readonly number[],
  { perMinute, opensAtMinute, effort = () => 1 }: GateOptions,
): number[] {
  let freeAt = opensAtMinute;
  return minutes.map((minute) => {
    const passesAt = Math.max(freeAt, minute);
    freeAt = passesAt + effort() / perMinute;
    return passesAt;
  });
}

/**
 * Delays the entries of a gate by its slowdowns, in the same order. Those who were held get in afterwards, at the capacity
 * of the gate.
 */
export function slowGate(
  minutes: readonly number[],
  slowdowns: readonly Slowdown[],
  perMinute: number,
): readonly number[] {
  return slowdowns
    .toSorted((a, b) => a.minute - b.minute)
    .reduce((passing, slowdown) => slowOnce(passing, slowdown, perMinute), minutes);
}

function slowOnce(
  minutes: readonly number[],
  { minute: from, minutes: length, share }: Slowdown,
  perMinute: number,
): readonly number[] {
  const until = from + length;
  const before = minutes.filter((minute) => minute < from);
  const meanwhile = minutes.filter((minute) => minute >= from && minute < until);
  // With a share of a third, the first person gets in when the third would, the second when the sixth would.
  const passing = Array.from(
    { length: Math.floor(meanwhile.length * share) },
    (_, place) => meanwhile[Math.ceil((place + 1) / share) - 1] ?? until,
  );
  const behind = minutes.slice(before.length + passing.length);
  return [...before, ...passing, ...passGate(behind, { perMinute, opensAtMinute: until })];
}

/** From `minute` on, for `minutes`, a gate lets in only `share` (0 to below 1) of those who would get in. */
export interface Slowdown {
  readonly minute: number;
  readonly minutes: number;
  readonly share: number;
}

export interface GateOptions {
  /** What it passes at most. */
  readonly perMinute: number;
  readonly opensAtMinute: number;
  /** How long it takes for one, in means; by default as long for all. */
  readonly effort?: () => number;
}

/** When those who come at these minutes, in order, get in: whoever finds others waiting waits behind them. */
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
 * The same people, in the same order, where the gate is slow for a while, or for several. Whoever it holds gets in
 * afterwards, at no more than it passes at most.
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
  // With a third of them, the first gets in when the third would, the second when the sixth would.
  const passing = Array.from(
    { length: Math.floor(meanwhile.length * share) },
    (_, place) => meanwhile[Math.ceil((place + 1) / share) - 1] ?? until,
  );
  const behind = minutes.slice(before.length + passing.length);
  return [...before, ...passing, ...passGate(behind, { perMinute, opensAtMinute: until })];
}

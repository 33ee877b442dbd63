/** From `minute` on, for `minutes`, a gate passes `factor` (0 to 1) of what it can. */
interface Slowdown {
  readonly minute: number;
  readonly minutes: number;
  readonly factor: number;
}

export interface GateOptions {
  readonly perMinute: number;
  readonly opensAtMinute: number;
  readonly slowdowns?: readonly Slowdown[];
  /** How long one takes, as a share of the mean; by default all take as long. */
  readonly share?: () => number;
}

/**
 * When those who arrive at these minutes, in order, have passed: one after the other, in the order in which they came, and
 * whoever finds the gate closed waits.
 */
export function passGate(arrivals: readonly number[], options: GateOptions): number[] {
  const { perMinute, opensAtMinute, slowdowns = [], share = () => 1 } = options;
  let freeAt = opensAtMinute;
  return arrivals.map((minute) => {
    freeAt = workDone(Math.max(freeAt, minute), share() / perMinute, slowdowns);
    return freeAt;
  });
}

/** When `work`, in minutes of the open gate, is done that begins at `from`. */
function workDone(from: number, work: number, slowdowns: readonly Slowdown[]): number {
  let [at, left] = [from, work];
  for (;;) {
    const now = slowdowns.filter(({ minute, minutes }) => minute <= at && at < minute + minutes);
    const factor = Math.min(1, ...now.map((slowdown) => slowdown.factor));
    const changes = slowdowns.flatMap(({ minute, minutes }) => [minute, minute + minutes]);
    const until = Math.min(Infinity, ...changes.filter((change) => change > at));
    const needed = factor > 0 ? left / factor : Infinity;
    if (at + needed <= until) return at + needed;
    left -= (until - at) * factor;
    at = until;
  }
}

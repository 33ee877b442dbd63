/** A total that the screen came to show, at an instant of the machine's clock. */
export interface ShownTotal {
  readonly total: number;
  readonly atMs: number;
}

/**
 * For each admission, from its acknowledgement to the first total that must have it in: the n-th to be acknowledged is
 * on the screen for sure once that shows n more than `before`. `acknowledgedAtMs` and `shown` in order of time.
 */
export function delaysOf(
  acknowledgedAtMs: readonly number[],
  shown: readonly ShownTotal[],
  before: number,
): number[] {
  let next = 0;
  return acknowledgedAtMs.map((ackAtMs, index) => {
    const total = before + index + 1;
    let appeared = shown[next];
    while (appeared && appeared.total < total) {
      next += 1;
      appeared = shown[next];
    }
    if (!appeared) throw new Error(`the screen never came to show ${total}`);
    return appeared.atMs - ackAtMs;
  });
}

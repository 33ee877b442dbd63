/**
 * How long until the next one comes, in milliseconds, where each comes at random and knows of no other: the gaps are
 * exponential. Each call gives the next; the same seed gives the same.
 */
export function randomGaps(perSecond: number, seed: number): () => number {
  let state = seed;
  // mulberry32: 32 bits of state are enough for thousands of gaps.
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => (-Math.log(1 - random()) * 1_000) / perSecond;
}

/** Returns numbers from 0 to below 1. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed;
  // mulberry32: 32 bits of state are enough for millions of numbers.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws with mean 0 and deviation 1. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Draws with mean 1. */
export function exponential(random: Random): number {
  return -Math.log(1 - random());
}

/** Draws a whole number from 1 on. */
export function geometric(random: Random, mean: number): number {
  return mean > 1 ? 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - 1 / mean)) : 1;
}

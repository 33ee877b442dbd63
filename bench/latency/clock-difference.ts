import { clockMs } from '../support/clock.ts';

const READINGS = 30;

/** Compares another process's clock with ours: each reading happened between our asking and its answer. */
export async function compareClocks(read: () => Promise<number>) {
  // By how much it is ahead of ours: at least `low`, at most `high`.
  let [low, high] = [-Infinity, Infinity];
  for (let reading = 0; reading < READINGS; reading += 1) {
    const askedAtMs = clockMs();
    const toldMs = await read();
    low = Math.max(low, toldMs - clockMs());
    high = Math.min(high, toldMs - askedAtMs);
  }
  // What it is ahead for sure: 0 as long as they may well be the same.
  const aheadMs = Math.min(Math.max(0, low), high);
  // The most by which that may be wrong.
  const doubtMs = Math.max(high - aheadMs, aheadMs - low);
  return { aheadMs, doubtMs };
}

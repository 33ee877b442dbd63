import { clockMs } from '../support/clock.ts';

type ReadClock = () => Promise<number>;

const READINGS = 30;

/** Compares two other processes' clocks by way of ours: each reading happened between our asking and its answer. */
export async function compareClocks(first: ReadClock, second: ReadClock) {
  const one = await boundsOf(first);
  const other = await boundsOf(second);
  const low = one.low - other.high;
  const high = one.high - other.low;
  // What the first shows beyond the second, for sure: 0 as long as they may well be the same.
  const correctionMs = Math.min(Math.max(0, low), high);
  // The most by which that may be wrong.
  const doubtMs = Math.max(high - correctionMs, correctionMs - low);
  return { correctionMs, doubtMs };
}

/** By how much the clock is ahead of ours: at least `low`, at most `high`. */
async function boundsOf(read: ReadClock): Promise<{ low: number; high: number }> {
  let low = -Infinity;
  let high = Infinity;
  for (let reading = 0; reading < READINGS; reading += 1) {
    const askedAtMs = clockMs();
    const toldMs = await read();
    low = Math.max(low, toldMs - clockMs());
    high = Math.min(high, toldMs - askedAtMs);
  }
  return { low, high };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FramePacing } from './frame-pacing.ts';

const FRAME_BYTES = 273;

/** Changes that come after these gaps; each frame takes so long and carries the newest. Returns when each frame left. */
function play(gapsMs: readonly number[], { tookMs = 0.1, bytes = FRAME_BYTES } = {}) {
  const pacing = new FramePacing();
  const sentAtMs: number[] = [];
  const heldMs: number[] = [];
  let [nowMs, busyUntilMs] = [0, 0];
  for (const gapMs of gapsMs) {
    nowMs += gapMs;
    // Part of the frame that waits already.
    if (nowMs < busyUntilMs) continue;
    const waitMs = pacing.waitMs(nowMs);
    const startMs = nowMs + waitMs;
    pacing.sent({ startMs, endMs: startMs + tookMs, bytes });
    sentAtMs.push(startMs);
    heldMs.push(waitMs);
    busyUntilMs = startMs;
  }
  return { sentAtMs, heldMs };
}

/** Exponential gaps, from numbers between 0 and 1. */
const gapsAt = (perSecond: number, randoms: readonly number[]): number[] =>
  randoms.map((random) => (-Math.log(1 - random) * 1_000) / perSecond);

const randoms = fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), {
  minLength: 200,
  maxLength: 2_000,
});

describe('pacing', () => {
  test.each([15, 50])('admissions at random, %i a second, are never held back', (perSecond) => {
    // A seeded generator: a match has no pattern, as what a property test tends to find has.
    let seed = 20_261_122;
    const next = (): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 32;
    };
    const hour = Array.from({ length: perSecond * 3_600 }, next);
    const { heldMs } = play(gapsAt(perSecond, hour));
    expect(heldMs.filter((waitMs) => waitMs > 0.5)).toEqual([]);
  });

  test('beyond a burst, a screen gets at most 30 KB/s, whatever comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), randoms, (perSecond, numbers) => {
        const { sentAtMs } = play(gapsAt(perSecond, numbers));
        for (const [first, fromMs] of sentAtMs.entries()) {
          const withinMs = (sentAtMs.at(-1) ?? 0) - fromMs;
          const bytes = (sentAtMs.length - first) * FRAME_BYTES;
          expect(bytes).toBeLessThanOrEqual(8_000 + 30 * withinMs + 2 * FRAME_BYTES);
        }
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    [1, 2],
    [10, 20],
    [40, 80],
    [50, 100],
    [90, 106],
    [300, 316],
  ])('a frame that takes %i ms is %i ms from the next', (tookMs, distanceMs) => {
    const { sentAtMs } = play(
      Array.from({ length: 2_000 }, () => 1),
      { tookMs },
    );
    const distances = sentAtMs.slice(1).map((atMs, index) => Math.round(atMs - (sentAtMs[index] ?? 0)));
    expect(new Set(distances.slice(0, 5))).toEqual(new Set([distanceMs]));
  });

  test('a large sector document delays what follows by no more than 100 ms', () => {
    const pacing = new FramePacing();
    pacing.sent({ startMs: 0, endMs: 1, bytes: 4_000_000 });
    expect(pacing.waitMs(1)).toBeCloseTo(99, 5);
    expect(pacing.waitMs(101)).toBe(0);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FramePacing } from './frame-pacing.ts';

const FRAME_BYTES = 273;

/**
 * Plays changes that come after these gaps. Each frame carries the newest one, and takes `tookMs` for all screens, or that
 * `share` of it for some of them. Returns when each frame left.
 */
function play(gapsMs: readonly number[], { tookMs = 0.1, share = 1 } = {}) {
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
    const endMs = startMs + tookMs * share;
    pacing.sent({ startMs, endMs, share, bytes: FRAME_BYTES * share });
    sentAtMs.push(startMs);
    heldMs.push(waitMs);
    busyUntilMs = endMs;
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

  const endlessly = Array.from({ length: 20_000 }, () => 1);
  const distances = (sentAtMs: readonly number[]): number[] =>
    sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));

  test.each([
    [10, 20],
    [40, 80],
    [50, 100],
    [90, 106],
    [300, 316],
  ])('once the burst is spent, frames that take %i ms are %i ms apart', (tookMs, distanceMs) => {
    const { sentAtMs } = play(endlessly, { tookMs });
    for (const apartMs of distances(sentAtMs).slice(-10)) {
      expect(apartMs).toBeGreaterThanOrEqual(distanceMs - 0.01);
      expect(apartMs).toBeLessThan(distanceMs + 1);
    }
  });

  test.each([10, 50, 90])('in parts, a frame of %i ms has the same distance in all', (tookMs) => {
    const share = 0.1;
    const { sentAtMs } = play(endlessly, { tookMs, share });
    const wholeMs = tookMs + Math.min(tookMs, Math.max(100 - tookMs, 16));
    const apart = distances(sentAtMs).slice(-1_000);
    const meanMs = apart.reduce((sum, apartMs) => sum + apartMs, 0) / apart.length;
    // Changes come each millisecond: a part may have to wait for the next.
    expect(meanMs).toBeGreaterThanOrEqual(wholeMs * share - 0.01);
    expect(meanMs).toBeLessThan(wholeMs * share + 1);
  });

  test('5,000 screens, 50 ms for all: ten changes in a row wait for nothing', () => {
    const pacing = new FramePacing();
    for (let startMs = 0; startMs < 500; startMs += 5) {
      expect(pacing.waitMs(startMs)).toBe(0);
      pacing.sent({ startMs, endMs: startMs + 5, share: 0.1, bytes: FRAME_BYTES / 10 });
    }
  });

  test('a large sector document delays what follows by no more than 100 ms', () => {
    const pacing = new FramePacing();
    pacing.sent({ startMs: 0, endMs: 1, share: 1, bytes: 4_000_000 });
    expect(pacing.waitMs(1)).toBeCloseTo(100, 5);
    expect(pacing.waitMs(101)).toBe(0);
  });

  test('nor does one that goes round the screens in parts', () => {
    const pacing = new FramePacing();
    let atMs = 0;
    for (let part = 0; part < 10; part += 1) {
      atMs += pacing.waitMs(atMs);
      pacing.sent({ startMs: atMs, endMs: atMs, share: 0.1, bytes: 400_000 });
    }
    expect(atMs + pacing.waitMs(atMs)).toBeCloseTo(100, 5);
  });
});

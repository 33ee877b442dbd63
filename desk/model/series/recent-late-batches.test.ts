import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FlowSeries, type SectorChange } from './flow-series.ts';
import { BUCKET_MS, MINUTE_MS } from './minute.ts';

const START_MS = Date.UTC(2026, 4, 3, 18, 0);
const VALID = 6_000;

function entries(count: number): SectorChange[] {
  return [{ sector: 0, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 }];
}

function observed(): FlowSeries {
  const series = new FlowSeries({ sectorCount: 1 });
  series.begin(START_MS, [{ admitted: 0, valid: VALID }]);
  series.advanceTo(START_MS);
  return series;
}

/** `counts`: what is committed in each bucket, all at once. */
function play(series: FlowSeries, counts: readonly number[]): void {
  for (const [bucket, count] of counts.entries()) {
    if (count > 0) series.commit(START_MS + bucket * BUCKET_MS, entries(count));
    series.advanceTo(START_MS + (bucket + 1) * BUCKET_MS);
  }
}

function between(series: FlowSeries, fromBucket: number, toBucket: number): number | undefined {
  return series.flowBetween(START_MS + fromBucket * BUCKET_MS, START_MS + toBucket * BUCKET_MS, 0);
}

describe('what flowed between two boundaries', () => {
  test('is what was committed there but for late batches, wherever they are', () => {
    const anyCount = fc.oneof(fc.nat(20), fc.constant(500));
    fc.assert(
      fc.property(
        fc.array(anyCount, { minLength: 18, maxLength: 18 }),
        fc.nat(18),
        fc.nat(18),
        (counts, a, b) => {
          const series = observed();
          play(series, counts);
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const flow = counts.slice(from, to).filter((count) => count < 500);
          expect(between(series, from, to)).toBe(flow.reduce((sum, count) => sum + count, 0));
        },
      ),
    );
  });

  test('has nobody whose ticket was moved, however many and wherever, also after a restart', () => {
    const move = (count: number): SectorChange[] => [
      { sector: 0, admitted: count, entered: 0, reverted: 0, moved: count, valid: count },
    ];
    const batches: unknown[] = [];
    const series = new FlowSeries({ sectorCount: 1, onLateBatch: (batch) => batches.push(batch) });
    series.begin(START_MS, [{ admitted: 900, valid: VALID }]);
    series.advanceTo(START_MS);
    const moves = [0, 500, 0, -700, 3, 0, 0, 0, 0, -2, 0, 0];
    for (const [bucket, count] of moves.entries()) {
      const atMs = START_MS + bucket * BUCKET_MS;
      series.commit(atMs, entries(5));
      series.commit(atMs + 1, move(count));
      series.advanceTo(atMs + BUCKET_MS);
    }
    expect([between(series, 0, 4), between(series, 1, 2), between(series, 4, 11)]).toEqual([20, 5, 35]);
    expect([series.flow(START_MS), series.flow(START_MS + MINUTE_MS, 0)]).toEqual([30, 30]);
    expect(batches).toEqual([]);
    const restarted = new FlowSeries({ sectorCount: 1 });
    restarted.restore(series.minutes(0, Infinity));
    expect(between(restarted, 0, 12)).toBe(60);
    expect(
      series.at(START_MS + 2 * MINUTE_MS)?.series.flowBetween(START_MS, START_MS + 2 * MINUTE_MS, 0),
    ).toBe(60);
  });

  test('is nothing in a minute that is a late batch as a whole', () => {
    const series = observed();
    // 360 in a minute are more than three times VALID / 60; no commit is.
    play(series, [5, 5, 5, 5, 5, 5, ...Array.from({ length: 6 }, () => 60), 7, 7]);
    expect([between(series, 0, 6), between(series, 6, 12), between(series, 0, 14)]).toEqual([30, 0, 44]);
    expect([between(series, 3, 9), between(series, 9, 13)]).toEqual([15, 7]);
  });

  test('is not confirmed where an end was not observed', () => {
    const series = observed();
    play(series, [5, 5, 5]);
    series.begin(START_MS + 45_000, [{ admitted: 40, valid: VALID }]);
    series.advanceTo(START_MS + MINUTE_MS);
    expect([between(series, 0, 4), between(series, 0, 3), between(series, 3, 5)]).toEqual([
      undefined,
      15,
      25,
    ]);
  });

  test('is not confirmed across a clock that was set', () => {
    const series = observed();
    play(series, [5, 5, 5, 5, 5, 5, 5]);
    series.interrupt(START_MS + 7 * BUCKET_MS);
    series.advanceTo(START_MS + 9 * BUCKET_MS);
    series.advanceTo(START_MS + 12 * BUCKET_MS);
    expect([between(series, 6, 12), between(series, 9, 12)]).toEqual([undefined, 0]);
  });

  test('is confirmed from the minutes of the record, without their late batches', () => {
    const before = observed();
    play(before, [5, 5, 5, 5, 5, 5, 5, 500, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    const series = new FlowSeries({ sectorCount: 1 });
    series.restore(before.minutes(0, Infinity));
    series.begin(START_MS + 19 * BUCKET_MS, before.totals);
    series.advanceTo(START_MS + 19 * BUCKET_MS);
    expect([between(series, 6, 12), between(series, 6, 19), between(series, 12, 19)]).toEqual([25, 60, 35]);
  });
});

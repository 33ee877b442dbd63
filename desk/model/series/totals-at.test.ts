import { expect, test } from 'vitest';
import { FlowSeries } from './flow-series.ts';
import { totalsAt } from './totals-at.ts';

function enter(count: number) {
  return [{ sector: 0, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 }];
}

test('boundaries that are processed late have the totals of their own time, without later entries', () => {
  const found: unknown[] = [];
  const series: FlowSeries = new FlowSeries({
    sectorCount: 1,
    onBoundary: (boundaryMs) => found.push([boundaryMs, ...totalsAt(series, boundaryMs)]),
  });
  series.begin(10_000, [{ admitted: 80, valid: 200 }]);
  series.commit(15_000, enter(5));
  series.commit(25_000, enter(20));
  series.commit(35_000, enter(1));
  series.advanceTo(30_000);
  expect(found).toMatchObject([
    [10_000, { admitted: 80, valid: 200 }],
    [20_000, { admitted: 85, valid: 200 }],
    [30_000, { admitted: 105, valid: 200 }],
  ]);
  // The boundary at 40 s is not observed yet: the totals are those of the last commit.
  expect(totalsAt(series, 40_000)).toMatchObject([{ admitted: 106, valid: 200 }]);
});

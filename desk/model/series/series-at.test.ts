import { expect, test } from 'vitest';
import { currentTotals, figuresOf } from './current-figures.ts';
import { FlowSeries } from './flow-series.ts';
import { type Minute, MINUTE_MS } from './minute.ts';

const START_MS = Date.UTC(2026, 4, 3, 18);
const minuteAt = (place: number): number => START_MS + place * MINUTE_MS;

/**
 * Returns minutes of two sectors: each flow enters the first sector, and twice as many people the second. A minute whose
 * flow is undefined is not confirmed.
 */
function seriesOf(flows: readonly (number | undefined)[], lots = 0): FlowSeries {
  const series = new FlowSeries({ sectorCount: 2 });
  const admitted = [100, 200];
  const minutes = flows.flatMap((flow, place): readonly Minute[] => {
    if (flow === undefined) return [];
    const sectors = admitted.map((before, sector) => {
      const net = flow * (sector + 1) + lots;
      admitted[sector] = before + net;
      const valid = 1_000 * (sector + 1);
      return { admitted: before + net, net, entered: net, reverted: 0, moved: 0, valid, lots };
    });
    return [{ minuteMs: minuteAt(place), sectors }];
  });
  series.restore(minutes);
  series.begin(minuteAt(flows.length) + 1, [
    { admitted: 9_999, valid: 1 },
    { admitted: 9_999, valid: 1 },
  ]);
  return series;
}

function at(series: FlowSeries, place: number) {
  const found = series.at(minuteAt(place));
  if (!found) throw new Error('no minute is known by then');
  return found;
}

test('a series at the end of a minute has the totals of the newest minute by then, and nothing that came later', () => {
  const series = seriesOf([10, 20, 30, 40, 50, 0, 70]);
  const { newestMs, series: then } = at(series, 6);
  expect([newestMs, then.lastBoundaryMs, then.sectorCount]).toEqual([minuteAt(5), minuteAt(6), 2]);
  expect(then.totals).toEqual([
    { admitted: 250, valid: 1_000 },
    { admitted: 500, valid: 2_000 },
  ]);
  expect([then.flow(minuteAt(5)), then.flow(minuteAt(4)), then.flow(minuteAt(4), 1)]).toEqual([0, 150, 100]);
  expect([then.flow(minuteAt(6)), then.flow(minuteAt(6), 0)]).toEqual([undefined, undefined]);
  expect([then.bestRate(0), then.bestRate(1), then.bestRate()]).toEqual([30, 60, 90]);
  // Nobody entered in the newest one.
  expect(then.lastEntryAtMs(0)).toBe(minuteAt(4));
  expect(at(series, 7).series.bestRate(0)).toBe(38);
});

test('counts at boundaries are those of the minutes beside them', () => {
  const { series: then } = at(seriesOf([10, undefined, 30, 40]), 4);
  expect([0, 1, 2, 3, 4, 5].map((place) => then.admittedAt(minuteAt(place), 0))).toEqual([
    100,
    110,
    110,
    140,
    180,
    undefined,
  ]);
  expect(then.flowBetween(minuteAt(2), minuteAt(4), 1)).toBe(140);
  expect(then.flowBetween(minuteAt(0), minuteAt(3), 0)).toBe(40);
  expect(then.flowBetween(minuteAt(-1), minuteAt(3), 0)).toBeUndefined();
  expect(then.flowBetween(minuteAt(3), minuteAt(5), 0)).toBeUndefined();
  expect(then.bestRate(0)).toBeUndefined();
});

test('what came in batches is in no flow between boundaries', () => {
  const { series: then } = at(seriesOf([10, 20, 30], 500), 3);
  expect(then.admittedAt(minuteAt(3), 0)).toBe(1_660);
  expect(then.flowBetween(minuteAt(1), minuteAt(3), 0)).toBe(50);
});

test('a batch is no last entry', () => {
  const series = seriesOf([10, 0, 0], 500);
  expect(at(series, 3).series.lastEntryAtMs(0)).toBe(minuteAt(0));
});

test('before the first confirmed minute there is nothing', () => {
  expect(seriesOf([undefined, 20]).at(minuteAt(1))).toBeUndefined();
});

test('the figures of a moment are those of the ground, and of a sector where one is named', () => {
  const { series: then } = at(seriesOf([10, 20, 30, 40, 50]), 5);
  expect(currentTotals(then, undefined)).toEqual({ admitted: 750, valid: 3_000, invalid: 0 });
  expect(currentTotals(then, 7)).toEqual({ admitted: 0, valid: 0, invalid: 0 });
  expect(figuresOf(then, undefined)).toEqual({
    total: { admitted: 750, valid: 3_000, perMinute: 90 },
    sector: null,
  });
  expect(figuresOf(then, 1).sector).toEqual({ admitted: 500, valid: 2_000, perMinute: 60 });
});

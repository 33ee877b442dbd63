import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FlowSeries } from './flow-series.ts';
import { type Minute, MINUTE_MS } from './minute.ts';
import { readRates } from './rates.ts';

const START_MS = Date.UTC(2026, 4, 3, 18, 0);
const SECTORS = 2;

/** Of each sector, by minute; undefined where the minute is not confirmed. */
type Flows = readonly (readonly number[] | undefined)[];

/** Returns a series whose minutes have these entries, and as many again in late batches. */
function seriesOf(flows: Flows, bestFrom?: { readonly place: number; readonly isKnownBefore: boolean }) {
  const series = new FlowSeries({ sectorCount: SECTORS });
  const countBest = () => bestFrom && series.countBestFrom(START_MS + bestFrom.place * MINUTE_MS);
  if (bestFrom?.isKnownBefore) countBest();
  const minutes = flows.flatMap((flow, place): readonly Minute[] => {
    const sectors = flow?.map((count) => ({
      admitted: 0,
      net: 2 * count,
      entered: null,
      reverted: null,
      moved: null,
      valid: 0,
      lots: count,
    }));
    return sectors ? [{ minuteMs: START_MS + place * MINUTE_MS, sectors }] : [];
  });
  series.restore(minutes);
  const totals = Array.from({ length: SECTORS }, () => ({ admitted: 0, valid: 0 }));
  series.begin(START_MS + flows.length * MINUTE_MS + 1, totals);
  if (!bestFrom?.isKnownBefore) countBest();
  return series;
}

function meanOf(flows: readonly (number | undefined)[]): number | null {
  let sum = 0;
  for (const flow of flows) {
    if (flow === undefined) return null;
    sum += flow;
  }
  return flows.length === 5 ? sum / 5 : null;
}

test('rates are of full minutes, without late batches, and null where a minute of theirs is not confirmed', () => {
  const anyFlow = fc.tuple(fc.integer({ min: -20, max: 500 }), fc.integer({ min: -20, max: 500 }));
  const anyFlows = fc.array(fc.option(anyFlow, { nil: undefined, freq: 12 }), { maxLength: 60, size: 'max' });
  const anyBestFrom = fc.record({ place: fc.integer({ min: -9, max: 60 }), isKnownBefore: fc.boolean() });
  fc.assert(
    fc.property(anyFlows, fc.constantFrom(0, 1, undefined), anyBestFrom, (flows, sector, bestFrom) => {
      const flowOf = (flow: readonly number[] | undefined) =>
        flow && (sector === undefined ? flow.reduce((sum, count) => sum + count) : flow[sector]);
      const given = flows.map(flowOf);
      const fives = given.map((_, end) => meanOf(given.slice(Math.max(0, end - 4), end + 1)));
      const means = fives.filter((mean, end) => mean !== null && end - 4 >= bestFrom.place) as number[];
      const rates = readRates(seriesOf(flows, bestFrom), sector);
      expect(rates.lastMinute).toBe(given.at(-1) ?? null);
      expect(rates.meanOfFive).toBe(fives.at(-1) ?? null);
      expect(rates.bestOfFive).toBe(means.length === 0 ? null : Math.max(...means));
    }),
  );
});

test('while a minute has not ended the last one is the last full one; before anything is observed there are none', () => {
  const series = new FlowSeries({ sectorCount: 1 });
  const none = { lastMinute: null, meanOfFive: null, bestOfFive: null };
  expect(readRates(series)).toEqual(none);
  series.begin(START_MS, [{ admitted: 0, valid: 10 }]);
  series.commit(START_MS, [{ sector: 0, admitted: 3, entered: 3, reverted: 0, moved: 0, valid: 0 }]);
  series.advanceTo(START_MS + MINUTE_MS - 1);
  expect(readRates(series)).toMatchObject(none);
  series.advanceTo(START_MS + MINUTE_MS + 50_000);
  expect(readRates(series)).toMatchObject({ ...none, lastMinute: 3 });
});

test('rates of a series that is behind a break are not those of before it', () => {
  const series = seriesOf([
    [5, 5],
    [5, 5],
  ]);
  expect(readRates(series, 0)).toMatchObject({ lastMinute: 5 });
  series.begin(START_MS + 10 * MINUTE_MS, [
    { admitted: 0, valid: 0 },
    { admitted: 0, valid: 0 },
  ]);
  series.advanceTo(START_MS + 10 * MINUTE_MS);
  expect(readRates(series, 0)).toMatchObject({ lastMinute: null });
});

import { expect, test } from 'vitest';
import type { SectorMark } from './marks.ts';
import { MINUTE_MS } from '../series/minute.ts';
import {
  estimatedCount,
  estimateUncounted,
  incompleteCounts,
  uncountedMarks,
  uncountedSpans,
} from './uncounted.ts';

const at = (min: number): number => min * MINUTE_MS;

/** A mark that held from one minute to another; without the latter, it still does. */
function mark(sector: string | null, fromMin: number, toMin?: number, count?: number): SectorMark {
  const estimate = { count: count ?? 0, how: 'a olho', by: 'Bia', atMs: at(toMin ?? fromMin + 5) };
  return {
    id: `${sector} ${fromMin}`,
    mark: 'unscanned',
    sector,
    sinceMs: at(fromMin),
    by: 'Ana',
    ...(toMin !== undefined && { endedAtMs: at(toMin) }),
    ...(count !== undefined && { estimate }),
  };
}

const SUSPENDED: SectorMark = { ...mark('7', 0), mark: 'suspended' };

test('marks that overlap are one span, and the ground is incomplete where any sector is', () => {
  const marks = [
    mark('7', 40),
    mark('7', 10, 20),
    SUSPENDED,
    mark('7', 15, 25),
    mark(null, 12, 18),
    mark('', 30, 31),
  ];
  expect(uncountedSpans(uncountedMarks(marks, '8'))).toEqual([{ fromMs: at(12), toMs: at(18) }]);
  expect(uncountedSpans(uncountedMarks(marks, '7'))).toEqual([
    { fromMs: at(10), toMs: at(25) },
    { fromMs: at(40), toMs: Infinity },
  ]);
  expect(uncountedSpans(uncountedMarks(marks, null))).toHaveLength(3);
  expect(incompleteCounts(marks)).toEqual([
    { row: '7', fromMs: at(40), toMs: null },
    { row: '', fromMs: at(30), toMs: at(31) },
    { row: null, fromMs: at(12), toMs: at(18) },
    { row: '7', fromMs: at(10), toMs: at(25) },
  ]);
  const lasting = [mark('8', 50, 51), mark('7', 5), mark('4', 20)];
  expect(incompleteCounts(lasting).map(({ row }) => row)).toEqual(['4', '7', '8']);
  expect(incompleteCounts([SUSPENDED])).toEqual([]);
});

test('an estimate comes evenly over the time of its mark; of one that holds, up to when it was made', () => {
  const marks = [mark('7', 10, 20, 100), mark('7', 30, undefined, 50), SUSPENDED];
  const uncountedBy = estimateUncounted(marks, '7');
  expect([0, 10, 15, 20, 30, 32, 35, 90].map((min) => uncountedBy?.(at(min)))).toEqual([
    0, 0, 50, 100, 100, 120, 150, 150,
  ]);
  expect(estimatedCount(marks)).toBe(150);
});

test('all at once, where a mark had no length', () => {
  const uncountedBy = estimateUncounted([mark('7', 10, 10, 100)], null);
  expect([9, 10].map((min) => uncountedBy?.(at(min)))).toEqual([0, 100]);
});

test('without an estimate of each mark, and of a sector by one of the whole ground, nobody knows how many', () => {
  const [known, unknown, ground] = [mark('7', 10, 20, 100), mark('8', 10), mark(null, 10, 20, 300)];
  expect(estimateUncounted([known, unknown], null)).toBeNull();
  expect(estimateUncounted([known, unknown], '7')?.(at(20))).toBe(100);
  expect(estimateUncounted([known, ground], null)?.(at(20))).toBe(400);
  expect(estimateUncounted([known, ground], '7')).toBeNull();
  expect(estimateUncounted([], '7')?.(at(20))).toBe(0);
  expect(estimatedCount([unknown])).toBeNull();
});

import { expect, test } from 'vitest';
import { rowsNamed } from '../../testing/desk/record.ts';
import { FormerRows } from '../model/former-rows.ts';
import type { Minute } from '../model/series/minute.ts';
import { COUNT_COLUMNS, minuteOf, rowsOf, type SectorCells } from './recorded-minute.ts';

const sector = { admitted: 5, net: 2, entered: 3, reverted: 1, moved: 0, valid: 9, lots: 0 };
const MINUTE: Minute = {
  minuteMs: 1_795_000_020_000,
  sectors: [sector, { ...sector, entered: null, reverted: null, moved: null }, { ...sector, net: -4 }],
};

function cellsOf(minute: Minute, codes: readonly string[]): SectorCells[] {
  const cells: SectorCells[] = [];
  for (const row of rowsOf(minute, codes)) {
    cells.push([row.sector, ...COUNT_COLUMNS.map((name) => row[name])]);
  }
  return cells;
}

test('a minute has one row a sector, and one for the others; in any order they are that minute again', () => {
  const cells = cellsOf(MINUTE, ['4', '99']);
  expect(cells.map(([code]) => code)).toEqual(['4', '99', '']);
  expect(minuteOf(MINUTE.minuteMs, cells.toReversed(), rowsNamed(['4', '99']))).toEqual(MINUTE);
});

test('a row that the venue has no more counts in the one with its code, else among the others', () => {
  const cells = cellsOf(MINUTE, ['4', '99']);
  const [four, unknown, others] = MINUTE.sectors;
  const renamed = [
    { code: 'SUL', codes: ['98', '99'] },
    { code: '4', codes: ['4'] },
  ];
  expect(minuteOf(MINUTE.minuteMs, cells, renamed)?.sectors).toEqual([unknown, four, others]);
  const sum = { ...sector, admitted: 10, valid: 18, entered: null, reverted: null, moved: null };
  const joined = minuteOf(MINUTE.minuteMs, cells, [{ code: 'A', codes: ['4', '99'] }]);
  expect(joined?.sectors).toEqual([{ ...sum, net: 4 }, others]);
  expect(minuteOf(MINUTE.minuteMs, cells, rowsNamed(['4']))?.sectors).toEqual([four, { ...sum, net: -2 }]);
});

test('where the codes of the former rows are known, they decide, whatever the rows are named', () => {
  const cells = cellsOf(MINUTE, ['4', '99']);
  const [four, other, others] = MINUTE.sectors;
  const former = new FormerRows({ 4: ['N', 'M'], 99: ['S'] });
  const sectorsIn = (rows: Readonly<Record<string, readonly string[]>>) =>
    minuteOf(
      MINUTE.minuteMs,
      cells,
      Object.entries(rows).map(([code, codes]) => ({ code, codes })),
      former,
    )?.sectors;
  expect(sectorsIn({ 4: ['S'], 99: ['N', 'M'] })).toEqual([other, four, others]);
  expect(sectorsIn({ Z: ['S'], A: ['M', 'N'] })).toEqual([other, four, others]);
  // What both count now was counted as one, and what is nobody's is the others'.
  expect(sectorsIn({ A: ['N', 'M', 'S'] })?.map(({ admitted }) => admitted)).toEqual([10, 5]);
  expect(sectorsIn({ 99: ['S'] })?.map(({ admitted }) => admitted)).toEqual([5, 10]);
  // How many of a row came with one of its codes is not known, nor of the others.
  expect(sectorsIn({ 4: ['N'], M: ['M'], 99: ['S'] })).toBeUndefined();
  expect(sectorsIn({ 4: ['N'], 99: ['S'] })).toBeUndefined();
  expect(sectorsIn({ 4: ['N', 'M'], 99: ['S', 'X'] })).toBeUndefined();
});

test('of a row that was not counted apart, or is missing, there is no minute', () => {
  const cells = cellsOf(MINUTE, ['4', '99']);
  expect(minuteOf(MINUTE.minuteMs, cells, rowsNamed(['4', '98']))).toBeUndefined();
  expect(minuteOf(MINUTE.minuteMs, cells, rowsNamed(['4', '98', '99']))).toBeUndefined();
  expect(minuteOf(MINUTE.minuteMs, cells.slice(1), rowsNamed(['4', '99']))).toBeUndefined();
});

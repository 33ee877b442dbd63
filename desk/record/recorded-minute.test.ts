import { expect, test } from 'vitest';
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
  expect(minuteOf(MINUTE.minuteMs, cells.toReversed(), ['4', '99'])).toEqual(MINUTE);
});

test('rows of a venue with other sectors, or with some missing, are no minute of this one', () => {
  const cells = cellsOf(MINUTE, ['4', '99']);
  expect(minuteOf(MINUTE.minuteMs, cells, ['4', '98'])).toBeUndefined();
  expect(minuteOf(MINUTE.minuteMs, cells.slice(1), ['4', '99'])).toBeUndefined();
  expect(minuteOf(MINUTE.minuteMs, cells, ['4'])).toBeUndefined();
});

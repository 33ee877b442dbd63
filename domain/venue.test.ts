import { expect, test } from 'vitest';
import { DEFAULT_VENUE, knownCodes, sectorCodesOf, standOf } from './venue.ts';

test('the default venue has the thirteen sectors in the order of the screen, each with one code', () => {
  const codes = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'];
  expect(sectorCodesOf(DEFAULT_VENUE)).toEqual(codes);
  expect([...knownCodes(DEFAULT_VENUE)]).toEqual(codes);
  expect(new Set(DEFAULT_VENUE.sectors.map(({ stand }) => stand))).toEqual(
    new Set(['CAMAROTES', 'LESTE', 'NORTE', 'OESTE', 'SUL']),
  );
  expect(DEFAULT_VENUE.sectors.reduce((sum, { capacity }) => sum + (capacity ?? 0), 0)).toBe(43_680);
});

test('known are the codes of all sectors', () => {
  const sectors = [
    { code: 'N', name: 'Norte', stand: 'Norte', codes: ['N1', 'N2'] },
    { code: 'S', name: 'Sul', stand: 'Sul', codes: ['S'] },
  ];
  expect([...knownCodes({ name: 'Arena', sectors })]).toEqual(['N1', 'N2', 'S']);
});

test('a stand is the first word of the name of a sector', () => {
  expect(['Leste Superior Central', 'NORTE', ''].map(standOf)).toEqual(['Leste', 'NORTE', '']);
});

import { expect, test } from 'vitest';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { rowLayout } from './row-layout.ts';

const named = (count: number, name = 'NORTE'): string[] => Array.from({ length: count }, () => name);

function styleOf(names: readonly string[]): Record<string, number> {
  const declarations = rowLayout(names)
    .style.split(';')
    .map((declaration) => declaration.split(':'));
  return Object.fromEntries(declarations.map(([name = '', value]) => [name, Number(value)]));
}

test.each([
  [1, '', 13, 1],
  [13, '', 13, 7],
  [14, '', 14, 7],
  [20, '', 20, 10],
  [21, 'many', 21, 11],
  [32, 'many', 32, 16],
  [33, 'most', 32, 17],
  [60, 'most', 32, 30],
])('%i rows', (count, rows, sharing, half) => {
  expect(rowLayout(named(count)).rows).toBe(rows);
  expect(styleOf(named(count))).toMatchObject({
    '--rows': sharing,
    '--half-of-rows': half,
    '--column-rows': Math.max(13, half),
  });
});

test('the names of the default venue need no wider rows than the default', () => {
  const width = styleOf(DEFAULT_VENUE.sectors.map(({ name }) => name))['--row-em'];
  expect(width).toBeCloseTo(17.2, 1);
});

test('a longer name widens the rows, an accent does not, and any letter of another script counts as a wide one', () => {
  const width = (name: string): number => styleOf([name])['--row-em'] ?? 0;
  expect(width('CADEIRAS COBERTAS DO SETOR LESTE')).toBeGreaterThan(20);
  expect(width('ARQUIBANCADA SÃO JOÃO DE CIMA')).toBe(width('ARQUIBANCADA SAO JOAO DE CIMA'));
  expect(width('M'.repeat(40))).toBeCloseTo(40.0, 1);
  expect(width('座'.repeat(40))).toBeCloseTo(56, 1);
});

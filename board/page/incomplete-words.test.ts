import { expect, it } from 'vitest';
import { incompleteWords } from './incomplete-words.ts';

const SECTORS = [
  { code: '7', name: 'SUL DORIL', stand: 'SUL' },
  { code: '4', name: 'NORTE', stand: 'NORTE' },
];

it('names the sectors whose counts are incomplete, and since when', () => {
  const words = (...rows: (readonly [row: string | null, from: string, to: string | null])[]): string =>
    incompleteWords(
      rows.map(([row, from, to]) => ({ row, from, to })),
      SECTORS,
    );
  expect(words(['7', '18:33', '18:40'])).toBe('contagem incompleta: SUL DORIL 18:33–18:40');
  expect(words(['7', '18:33', '18:40'], ['4', '18:52', null])).toBe(
    'contagem incompleta: SUL DORIL 18:33–18:40, NORTE desde 18:52',
  );
  expect(words([null, '', null])).toBe('sem o registro, não se sabe se todos foram lidos');
  expect(words([null, '18:33', null])).toBe('contagem incompleta: todos os setores desde 18:33');
  expect(words(['', '18:33', null])).toBe('contagem incompleta: fora destes setores desde 18:33');
  expect(words(['9', '18:33', null], ['7', '18:34', null], ['4', '18:35', null])).toBe(
    'contagem incompleta: 9 desde 18:33, SUL DORIL desde 18:34, NORTE desde 18:35',
  );
  expect(
    words(['4', '18:52', null], ['LESTE SUPERIOR LATERAL', '18:40', '18:50'], ['7', '18:20', '18:30']),
  ).toBe('contagem incompleta: NORTE desde 18:52, LESTE SUPERIOR LATERAL 18:40–18:50 e mais 1');
});

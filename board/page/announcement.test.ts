import { expect, it } from 'vitest';
import { announceTotal } from './announcement.ts';

it('a total is announced in a sentence', () => {
  expect([0, 1, 31_482].map((total) => announceTotal(total, false))).toEqual([
    'Ninguém entrou ainda',
    '1 pessoa entrou',
    '31.482 pessoas entraram',
  ]);
  expect(announceTotal(31_482, true)).toBe('Contagem incompleta: no mínimo 31.482');
});

import { expect, test } from 'vitest';
import { readingWords } from './reading-words.ts';

test('readings outside the count are stated by their reason', () => {
  expect(
    readingWords([
      { outcome: 'kept', reason: 'ticket', count: 1_234 },
      { outcome: 'kept', reason: 'event', count: 2 },
      { outcome: 'refused', reason: 'message', count: 3 },
      { outcome: 'refused', reason: 'time', count: 1 },
    ]),
  ).toBe(
    'Leituras fora da contagem: 1.234 sem setor; nos últimos 10 min, 2 de jogo desconhecido, 4 recusadas (3 mensagens inválidas, 1 horário inválido).',
  );
  expect(readingWords([{ outcome: 'refused', reason: 'database', count: 1 }])).toBe(
    'Leituras fora da contagem: nos últimos 10 min, 1 recusada (1 negada pelo banco).',
  );
});

test('an unknown reason is displayed by its name, and without readings nothing is', () => {
  expect(readingWords([{ outcome: 'kept', reason: 'weather', count: 1 }])).toMatch(/1 weather\.$/);
  expect(readingWords([])).toBeUndefined();
  expect(readingWords(undefined)).toBeUndefined();
});

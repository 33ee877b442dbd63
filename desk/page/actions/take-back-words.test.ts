import { expect, test } from 'vitest';
import { settledWords, takeBackWords } from './take-back-words.ts';

test('button and question of a take-back have the same verb', () => {
  for (const kind of ['evacuation', 'entry-closed', 'suspend', 'kick-off', 'occurrence'] as const) {
    const { verb, question } = takeBackWords(kind);
    expect([kind, question.toLowerCase()]).toEqual([kind, `${verb}?`]);
  }
});

test('an occurrence, a kick-off and an unknown entry are undone', () => {
  for (const kind of ['occurrence', 'kick-off', undefined] as const)
    expect(takeBackWords(kind)).toMatchObject({ verb: 'desfazer', question: 'Desfazer?' });
});

test('a mark is ended or taken back as a mistake', () => {
  expect(takeBackWords('mark', 'ended')).toMatchObject({ verb: 'acabou', question: 'Acabou?' });
  expect(takeBackWords('mark', 'mistake')).toMatchObject({ verb: 'foi engano', question: 'Foi engano?' });
});

test.each([
  ['mark', 'ended', 'ended', 'Já acabou', true],
  ['mark', 'ended', 'mistake', 'Já foi anulada', true],
  ['mark', 'mistake', 'mistake', 'Já foi anulada', true],
  ['mark', 'mistake', 'ended', 'Já acabou', false],
  ['evacuation', undefined, 'ended', 'Já foi retirada', true],
  ['occurrence', undefined, 'mistake', 'Já foi desfeito', true],
] as const)(
  'an open question of %s (%s) names what was done before (%s)',
  (kind, why, before, already, isOver) => {
    expect(settledWords(kind, why, before)).toEqual({ already, isOver });
  },
);

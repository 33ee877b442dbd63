import { expect, test } from 'vitest';
import { recordWords } from './record-words.ts';

const AWAY = { state: { kind: 'away', reason: 'x' }, isKept: true } as const;

test.each([
  [0, 'Registro indisponível: lançamentos não são aceitos agora.'],
  [1, 'Registro indisponível: lançamentos não são aceitos agora; 1 minuto espera para ser gravado.'],
  [2, 'Registro indisponível: lançamentos não são aceitos agora; 2 minutos esperam para ser gravados.'],
])('an unavailable record with %i waiting minutes: %s', (minutesWaiting, words) => {
  expect(recordWords({ ...AWAY, minutesWaiting })).toBe(words);
});

test('a record that was not read comes before one that is unavailable', () => {
  expect(recordWords({ ...AWAY, minutesWaiting: 1, isUnread: true })).toMatch(/^SEM O REGISTRO: .*evacuação/);
});

test('a kept record has no notice, one in memory has', () => {
  const state = { kind: 'writer' } as const;
  expect(recordWords({ state, isKept: true, minutesWaiting: 1 })).toBeUndefined();
  expect(recordWords({ state, isKept: false, minutesWaiting: 0 })).toMatch(/^Registro só na memória/);
});

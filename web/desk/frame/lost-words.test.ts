import { expect, test } from 'vitest';
import { lostWords, whyLost } from './lost-words.ts';

const NOW = { isOnLine: true, nowMs: 100_000 };
const LOST = { kind: 'no-connection', ageMs: 60_000 } as const;
const failed = (status: number | null, sinceMs = 0) => ({ status, sinceMs });

test('that figures are old is said in words, with how long', () => {
  expect(lostWords({ kind: 'live' })).toBeNull();
  expect(lostWords({ kind: 'no-connection', ageMs: 45_000 })).toBe('sem conexão há 45 s');
  expect(lostWords({ kind: 'no-source', ageMs: 180_000 })).toBe('contagem desatualizada há 3 min');
});

test.each([
  [failed(null), NOW, /^O servidor não responde: verifique a rede/],
  [undefined, NOW, /^O servidor não responde/],
  [failed(null), { ...NOW, isOnLine: false }, /^Este aparelho está sem rede/],
  [failed(403), NOW, /TRUST_PROXY/],
  [failed(404), NOW, /não tem esta mesa/],
  [failed(429), NOW, /^Tentativas demais deste aparelho/],
  [failed(503), NOW, /sem o registro, sem a contagem/],
  [failed(502), NOW, /responde com um erro \(502\)/],
])('a connection that fails for a minute says why, and what to do: %j', (failure, now, words) => {
  expect(whyLost(LOST, failure, now)).toMatch(words);
  // Before there was any, as where nobody could sign in yet.
  expect(whyLost({ kind: 'connecting' }, failure, now)?.length ?? 0).toBe(
    failure === undefined ? 0 : (whyLost(LOST, failure, now)?.length ?? 0),
  );
});

test('what ends by itself in seconds says no more than that it is so', () => {
  expect(whyLost({ kind: 'no-connection', ageMs: 14_999 }, failed(null), NOW)).toBeNull();
  expect(whyLost({ kind: 'connecting' }, failed(null, 90_000), NOW)).toBeNull();
  expect(whyLost({ kind: 'live' }, failed(503), NOW)).toBeNull();
  expect(whyLost({ kind: 'no-source', ageMs: 20_000 }, undefined, NOW)).toMatch(/banco de dados/);
});

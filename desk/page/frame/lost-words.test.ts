import { expect, test } from 'vitest';
import { lostWords, whyLost } from './lost-words.ts';

const LOST = { kind: 'no-connection', ageMs: 60_000 } as const;
const failed = (status: number | null, lastsMs = 60_000) => ({ status, lastsMs });

test('stale figures are stated with their age', () => {
  expect(lostWords({ kind: 'live' })).toBeNull();
  expect(lostWords({ kind: 'no-connection', ageMs: 45_000 })).toBe('sem conexão há 45 s');
  expect(lostWords({ kind: 'no-source', ageMs: 180_000 })).toBe('contagem desatualizada há 3 min');
});

test.each([
  [failed(null), true, /^O servidor não responde: verifique a rede/],
  [undefined, true, /^O servidor não responde/],
  [failed(null), false, /^Este aparelho está sem rede/],
  [failed(401), true, /^O servidor responde, mas a sessão não vale mais/],
  [failed(403), true, /TRUST_PROXY/],
  [failed(404), true, /não tem esta mesa/],
  [failed(429), true, /^Tentativas demais deste aparelho/],
  [failed(503), true, /sem o registro, sem a contagem/],
  [failed(502), true, /responde com um erro \(502\)/],
])(
  'after a minute without a connection the reason is stated, and what to do: %j',
  (failure, isOnLine, words) => {
    expect(whyLost(LOST, failure, isOnLine)).toMatch(words);
    // Before there was any, as where nobody could sign in yet.
    expect(whyLost({ kind: 'connecting' }, failure, isOnLine)?.length ?? 0).toBe(
      failure === undefined ? 0 : (whyLost(LOST, failure, isOnLine)?.length ?? 0),
    );
  },
);

test('a short outage has no explanation', () => {
  expect(whyLost({ kind: 'no-connection', ageMs: 14_999 }, failed(null), true)).toBeNull();
  expect(whyLost({ kind: 'connecting' }, failed(null, 10_000), true)).toBeNull();
  expect(whyLost({ kind: 'live' }, failed(503), true)).toBeNull();
  expect(whyLost({ kind: 'no-source', ageMs: 20_000 }, undefined, true)).toMatch(/banco de dados/);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SESSION_LIFETIME_MS, Sessions } from './session.ts';

const OPTIONS = { sessionSecret: 'a'.repeat(32), dashboardKey: 'b'.repeat(32), eventId: 'c'.repeat(32) };
const NOW = 1_800_000_000_000;

test('a session lasts twelve hours, to the millisecond', () => {
  const sessions = new Sessions(OPTIONS);
  const token = sessions.open(NOW);
  expect(SESSION_LIFETIME_MS).toBe(12 * 3_600_000);
  expect(sessions.endOf(token, NOW + SESSION_LIFETIME_MS - 1)).toBe(NOW + SESSION_LIFETIME_MS);
  expect(sessions.endOf(token, NOW + SESSION_LIFETIME_MS)).toBeUndefined();
});

test.each(['sessionSecret', 'dashboardKey', 'eventId'])('a session dies with a change of the %s', (name) => {
  const token = new Sessions(OPTIONS).open(NOW);
  expect(new Sessions({ ...OPTIONS, [name]: 'x'.repeat(32) }).endOf(token, NOW)).toBeUndefined();
});

test('no text but the one that was given is a session', () => {
  const sessions = new Sessions(OPTIONS);
  const token = sessions.open(NOW);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(sessions.endOf(changed, NOW)).toBeUndefined();
    }),
  );
  for (const text of [undefined, '', '.', '..', `${token}.`, token.toUpperCase()]) {
    expect(sessions.endOf(text, NOW)).toBeUndefined();
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sessions } from '../../board/http/session.ts';
import { DESK_SESSION_LIFETIME_MS, DeskSessions } from './desk-session.ts';

const OPTIONS = { sessionSecret: 'a'.repeat(32), deskKey: 'b'.repeat(32), eventId: 'c'.repeat(32) };
const NOW = 1_800_000_000_000;

test('a session carries its name, and lasts fourteen hours, to the millisecond', () => {
  const sessions = new DeskSessions(OPTIONS);
  fc.assert(
    fc.property(
      fc.string().map((text) => `João 👍 ${text}`),
      (name) => {
        const session = sessions.open(name, NOW);
        const token = sessions.tokenOf(session);
        expect(session.endsAtMs).toBe(NOW + 14 * 3_600_000);
        expect(sessions.read(token, NOW + DESK_SESSION_LIFETIME_MS - 1)).toEqual(session);
        expect(sessions.read(token, NOW + DESK_SESSION_LIFETIME_MS)).toBeUndefined();
      },
    ),
  );
});

test('a session ends at its given limit, or after the usual lifetime if that is earlier', () => {
  const sessions = new DeskSessions(OPTIONS);
  expect(sessions.open('Ana', NOW, NOW + 5).endsAtMs).toBe(NOW + 5);
  expect(sessions.open('Ana', NOW, Infinity).endsAtMs).toBe(NOW + DESK_SESSION_LIFETIME_MS);
});

test('two sessions of one name are two', () => {
  const sessions = new DeskSessions(OPTIONS);
  expect(sessions.open('Ana', NOW).id).not.toBe(sessions.open('Ana', NOW).id);
});

test.each(['sessionSecret', 'deskKey', 'eventId'])('a session dies with a change of the %s', (name) => {
  const before = new DeskSessions(OPTIONS);
  const token = before.tokenOf(before.open('Ana', NOW));
  expect(new DeskSessions({ ...OPTIONS, [name]: 'x'.repeat(32) }).read(token, NOW)).toBeUndefined();
});

test('no text but the one that was given is a session', () => {
  const sessions = new DeskSessions(OPTIONS);
  const token = sessions.tokenOf(sessions.open('Ana', NOW));
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(sessions.read(changed, NOW)).toBeUndefined();
    }),
  );
  for (const text of [undefined, '', '.', '..', `${token}.`, `.${token}`, token.toUpperCase()]) {
    expect(sessions.read(text, NOW)).toBeUndefined();
  }
});

test('no session of the wall is one of a desk, nor the other way round, even with the same key for both', () => {
  const key = OPTIONS.deskKey;
  const wall = new Sessions({ ...OPTIONS, dashboardKey: key });
  const desks = new DeskSessions(OPTIONS);
  expect(desks.read(wall.open(NOW), NOW)).toBeUndefined();
  expect(wall.endOf(desks.tokenOf(desks.open('Ana', NOW)), NOW)).toBeUndefined();
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDocumentId } from '../../domain/event.ts';
import { eventOfToken, tokenOfEvent } from './event-token.ts';

const EVENT_ID = 'e'.repeat(32);
const encoded = (text: string | Uint8Array): string => `id-${Buffer.from(text).toString('base64url')}`;

test('any event has one token of its own, which a subject may hold', () => {
  expect(tokenOfEvent(EVENT_ID)).toBe(EVENT_ID);
  expect(tokenOfEvent('a.b *>')).toBe(encoded('a.b *>'));
  const ids = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString());
  fc.assert(
    fc.property(ids.filter(isDocumentId), (eventId) => {
      const token = tokenOfEvent(eventId);
      expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(eventOfToken(token)).toBe(eventId);
    }),
  );
});

test.each([
  '',
  'short',
  'id-',
  'id-Zg=',
  // "f", otherwise than it is written.
  'id-Zh',
  'id-Zm 9',
  encoded(EVENT_ID),
  encoded('a/b'),
  encoded('..'),
  encoded(Uint8Array.of(0xff)),
])('the token "%s" is no event', (token) => expect(eventOfToken(token)).toBeUndefined());

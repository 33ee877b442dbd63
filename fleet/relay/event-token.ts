import { isDocumentId, isEventId } from '../../domain/event.ts';

/** No unencoded ID begins with it. */
const ENCODED = 'id-';

/**
 * An event's ID as one token of a subject, which holds no dot, space or wildcard: 32 hexadecimal characters as they are, any
 * other ID as `id-` and its UTF-8 in base64url. The longest ID, 1,500 bytes, takes 2,003 characters, which NATS accepts.
 */
export function tokenOfEvent(eventId: string): string {
  return isEventId(eventId) ? eventId : `${ENCODED}${Buffer.from(eventId).toString('base64url')}`;
}

/** Returns `undefined` for a token that `tokenOfEvent` returns for no event. */
export function eventOfToken(token: string): string | undefined {
  if (isEventId(token)) return token;
  if (!token.startsWith(ENCODED)) return undefined;
  const eventId = Buffer.from(token.slice(ENCODED.length), 'base64url').toString();
  // One event has one token: malformed base64url or UTF-8 is encoded again as another one.
  return isDocumentId(eventId) && tokenOfEvent(eventId) === token ? eventId : undefined;
}

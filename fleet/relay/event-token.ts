import { isDocumentId, isEventId } from '../../domain/event.ts';

/** No ID that is written as it is begins so. */
const ENCODED = 'id-';

/**
 * An event's ID as one token of a subject: as it is where it is 32 hexadecimal characters, else `id-` and its UTF-8 in
 * base64url, as a token may hold no dot, space or wildcard. 1,500 bytes are 2,003 characters, which NATS takes.
 */
export function tokenOfEvent(eventId: string): string {
  return isEventId(eventId) ? eventId : `${ENCODED}${Buffer.from(eventId).toString('base64url')}`;
}

/** `undefined`: no event has this token. */
export function eventOfToken(token: string): string | undefined {
  if (isEventId(token)) return token;
  if (!token.startsWith(ENCODED)) return undefined;
  const eventId = Buffer.from(token.slice(ENCODED.length), 'base64url').toString();
  // One event has one token: text that is no base64url, or no UTF-8, would come back as another.
  return isDocumentId(eventId) && tokenOfEvent(eventId) === token ? eventId : undefined;
}

import { Channel, RequestError } from './channel.ts';
import type { Credentials } from './credentials.ts';
import { readEventDetails } from './documents.ts';
import { firestoreError } from './firestore-error.ts';
import { databaseOf, eventDocumentOf } from './firestore-place.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { decodeFound } from './messages.ts';
import { encodeBatchGet } from './requests.ts';

const ANSWER_LIMIT_MS = 10_000;

interface KickOffsOptions {
  readonly settings: FirestoreSettings;
  readonly credentials: Credentials;
  /** The only one that is known where the path of the collection names no event. */
  readonly ownEventId: string;
  readonly onDocumentRead: () => void;
  readonly signal: AbortSignal;
}

/** Reads the kick-offs of those of these events that have one, on a connection of its own: nothing that is observed waits. */
export async function readKickOffs(
  { settings, credentials, ownEventId, onDocumentRead, signal }: KickOffsOptions,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = settings.collection.includes('{event}')
    ? eventIds
    : eventIds.filter((id) => id === ownEventId);
  const eventOf = new Map(known.map((id) => [eventDocumentOf(settings, id) ?? '', id] as const));
  eventOf.delete('');
  if (eventOf.size === 0) return new Map();
  const token = await credentials.token(signal);
  signal.throwIfAborted();
  const database = databaseOf(settings);
  const channel = new Channel(settings, database);
  const close = (): void => channel.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const request = encodeBatchGet(database, [...eventOf.keys()], ['kick_off_at']);
    const call = { method: 'BatchGetDocuments', request, token: token.value, routing: { database } };
    const responses = await channel.ask(call, ANSWER_LIMIT_MS);
    const kickOffs = new Map<string, number>();
    for (const response of responses) {
      onDocumentRead();
      const document = decodeFound(response);
      const eventId = document && eventOf.get(document.name.toString());
      const kickOffAtMs = document && readEventDetails(document)?.kickOffAtMs;
      if (eventId !== undefined && typeof kickOffAtMs === 'number') kickOffs.set(eventId, kickOffAtMs);
    }
    return kickOffs;
  } catch (error) {
    if (error instanceof RequestError) throw firestoreError(error.end, settings, "the events' documents");
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    channel.close();
  }
}

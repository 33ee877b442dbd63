import { createHash } from 'node:crypto';
import { OperatorError } from '../../../domain/operator-error.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import type { Query } from './requests.ts';

/** Where the documents of one event are: full names, as the protocol has them. */
export interface FirestorePlace {
  readonly database: string;
  /** Names the database in positions: 63 bits, as a decimal number. */
  readonly systemId: string;
  readonly tickets: Query;
  readonly sectors: Query;
  /** The document with the event's metadata; `undefined` where the tickets are in a collection of the root. */
  readonly event: string | undefined;
}

export function placeOf(settings: FirestoreSettings, eventId: string): FirestorePlace {
  const database = databaseOf(settings);
  const event = eventDocumentOf(settings, eventId);
  const parent = event ?? `${database}/documents`;
  const collectionId = segmentsOf(settings, eventId).at(-1) ?? '';
  return {
    database,
    systemId: systemIdOf(database),
    tickets: { parent, collectionId, where: [] },
    sectors: { parent, collectionId: 'sectors', where: [] },
    event,
  };
}

export function databaseOf({ project, database }: FirestoreSettings): string {
  return `projects/${project}/databases/${database}`;
}

/** The document that the collection of this event's tickets belongs to. */
export function eventDocumentOf(settings: FirestoreSettings, eventId: string): string | undefined {
  const segments = segmentsOf(settings, eventId).slice(0, -1);
  return segments.length === 0 ? undefined : `${databaseOf(settings)}/documents/${segments.join('/')}`;
}

/** The path of the collection of tickets, as an operator writes it. */
export function pathOf({ database, tickets }: FirestorePlace): string {
  return `${tickets.parent}/${tickets.collectionId}`.slice(`${database}/documents/`.length);
}

function segmentsOf({ collection }: FirestoreSettings, eventId: string): readonly string[] {
  const segments = collection.split('/').map((segment) => segment.replaceAll('{event}', eventId));
  if (segments.length % 2 === 0 || segments.includes(''))
    throw new OperatorError(
      `FIRESTORE_COLLECTION is "${collection}", which is no path of a collection: name collections and documents in turn, as events/{event}/tickets does.`,
    );
  return segments;
}

/** Returns the prefix of the names of the collection's documents. */
export function prefixOf({ parent, collectionId }: Query): Buffer {
  return Buffer.from(`${parent}/${collectionId}/`);
}

/** The ID of a document of the collection whose names begin with `prefix`; `undefined` of another document. */
export function idOf(name: Buffer, prefix: Buffer): string | undefined {
  if (name.length <= prefix.length || name.compare(prefix, 0, prefix.length, 0, prefix.length) !== 0)
    return undefined;
  // Decoded apart: a part of a longer text would keep all of it in memory.
  return name.toString('utf8', prefix.length);
}

function systemIdOf(database: string): string {
  const hash = createHash('sha256').update(database).digest();
  return String(hash.readBigUInt64BE() & 0x7fff_ffff_ffff_ffffn);
}

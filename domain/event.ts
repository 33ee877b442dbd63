/** The event that is displayed unless EVENT_ID is set: a constant of the product. */
export const DEFAULT_EVENT_ID = '5f0c8a1de4b94b6f9a3e7c2d10b8f6a4';

/** Checks whether an event in PostgreSQL may have this ID: 32 hexadecimal characters. */
export function isEventId(text: string): boolean {
  return /^[0-9a-fA-F]{32}$/.test(text);
}

/** Normalizes an ID in PostgreSQL, whose hexadecimal digits may be capitals; any other text stays as it is. */
export function oneEventId(text: string): string {
  return isEventId(text) ? text.toLowerCase() : text;
}

/** The limit of Firestore for the ID of a document, in bytes of UTF-8. */
const MAX_DOCUMENT_ID_BYTES = 1_500;

/**
 * Checks whether an event in Firestore may have this ID, which is that of a document: every ID of an event in PostgreSQL is
 * one. Firestore takes no slash, no `.`, `..` or `__…__`. Control characters it takes: HTML and terminals would change them.
 */
export function isDocumentId(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || /[/\p{Cc}]/u.test(text)) return false;
  // Half of a surrogate pair is no UTF-8.
  if (/^__.*__$/.test(text) || /\p{Cs}/u.test(text)) return false;
  return new TextEncoder().encode(text).length <= MAX_DOCUMENT_ID_BYTES;
}

/** The form of an ID of any source, for the operator. */
export const DOCUMENT_ID_FORM =
  '32 hexadecimal characters, or the ID of a document of Firestore: no slash or control character, not "." or "..", not __…__, at most 1,500 bytes';

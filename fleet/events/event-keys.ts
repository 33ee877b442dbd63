import { createHmac } from 'node:crypto';

/** Base32 of RFC 4648 in lower case: no two characters are confused when a key is read aloud or typed from paper. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CHARACTERS = 24;

export type KeyPurpose = 'dashboard' | 'desk';

/**
 * Derives an event's own key from the one that is set for all. It reveals neither that one nor another event's. Its 120 bits
 * are six groups of four characters, as a desk's key is typed.
 */
export function deriveEventKey(key: string, purpose: KeyPurpose, eventId: string): string {
  const bytes = createHmac('sha256', key).update(`triagem ${purpose} key\n${eventId}`).digest();
  // Thirty-two divides 256: every character is equally likely.
  const characters = Array.from(bytes.subarray(0, CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]);
  return characters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}

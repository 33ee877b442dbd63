import { createHmac } from 'node:crypto';

/** RFC 4648 in lower case: nothing that is mistaken for another when it is read aloud or typed from paper. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const CHARACTERS = 24;

export type KeyPurpose = 'dashboard' | 'desk';

/**
 * An event's own key, from the one that is set for all: whoever has it learns neither that one nor another event's.
 * 120 bits, as six groups of four: a desk's is typed.
 */
export function deriveEventKey(key: string, purpose: KeyPurpose, eventId: string): string {
  const bytes = createHmac('sha256', key).update(`triagem ${purpose} key\n${eventId}`).digest();
  // Thirty-two divides 256: every character is as likely.
  const characters = Array.from(bytes.subarray(0, CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]);
  return characters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}

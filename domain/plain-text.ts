/** Either why a text is refused, or the text as it is stored: normalized to NFC and trimmed. */
export type PlainText = { readonly text: string } | { readonly fault: string };

/**
 * Characters that could make a line display otherwise than it is written: control characters, line breaks, changes of the
 * direction of writing, halves of a character, and invisible ones except the joiners that emoji and some scripts need.
 */
const REFUSED =
  /[\p{Cc}\uFFF9-\uFFFB\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]|(?!\u200C|\u200D|\uFE0E|\uFE0F)\p{Default_Ignorable_Code_Point}/u;

const REFUSED_ANYWHERE = new RegExp(REFUSED.source, 'gu');

/** Removes invisible characters from what was typed or pasted; tabs and line breaks become blanks. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replaceAll(REFUSED_ANYWHERE, '');
}

/** U+2800 is the Braille pattern without a dot. */
const VISIBLE = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** More marks on one letter would overlap the lines around it. */
const STACKED_MARKS = /\p{Mn}{5}/u;

/** Reads a line that a person has typed for others. `maxLength` is in code points. */
export function readPlainText(value: unknown, maxLength: number): PlainText {
  if (typeof value !== 'string') return { fault: 'give a text' };
  const text = value.normalize('NFC').trim();
  if (REFUSED.test(text)) {
    return { fault: 'leave out control characters, line breaks and invisible characters' };
  }
  if (STACKED_MARKS.test(text)) return { fault: 'leave out characters that are stacked' };
  if (!VISIBLE.test(text)) return { fault: 'give a text that can be seen' };
  if (countCodePoints(text) > maxLength) return { fault: `give at most ${maxLength} characters` };
  return { text };
}

function countCodePoints(text: string): number {
  return Array.from(text).length;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPlainText, withoutInvisible } from './plain-text.ts';

test.each([
  ['Ana Lúcia', 'Ana Lúcia'],
  ['  João d’Ávila (CCO) \n', 'João d’Ávila (CCO)'],
  ['Jose\u0301', 'José'],
  ['=1+1;"<b>', '=1+1;"<b>'],
  ['família 👨‍👩‍👧 ❤️', 'família 👨‍👩‍👧 ❤️'],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['👍'.repeat(60), '👍'.repeat(60)],
])('%j is taken', (given, text) => {
  expect(readPlainText(given, 60)).toEqual({ text });
});

test.each([
  ['nothing', undefined, 'give a text'],
  ['a number', 7, 'give a text'],
  ['an object', { toString: () => 'Ana' }, 'give a text'],
  ['an empty text', '', 'give a text that can be seen'],
  ['blanks', ' \u00A0\u3000', 'give a text that can be seen'],
  ['Braille without a dot', '\u2800', 'give a text that can be seen'],
  ['joiners alone', '\u200D\uFE0F', 'give a text that can be seen'],
  ['a character too many', 'x'.repeat(61), 'give at most 60 characters'],
  ['an emoji too many', '👍'.repeat(61), 'give at most 60 characters'],
  ['stacked marks', 'a\u0335\u0336\u0337\u0338\u0334', 'leave out characters that are stacked'],
])('%s is not: the fault says what to give', (_what, given, fault) => {
  expect(readPlainText(given, 60)).toEqual({ fault });
});

test.each([
  ['a line break', '\n'],
  ['a tabulator', '\t'],
  ['NUL', '\0'],
  ['ESC', '\u001B'],
  ['DEL', '\u007F'],
  ['a C1 control', '\u0085'],
  ['a line separator', '\u2028'],
  ['a right-to-left override', '\u202E'],
  ['a right-to-left isolate', '\u2067'],
  ['a right-to-left mark', '\u200F'],
  ['a zero-width space', '\u200B'],
  ['a soft hyphen', '\u00AD'],
  ['a byte order mark', 'x\uFEFFx'],
  ['a hidden tag', '\u{E0041}'],
  ['half a character', '\uD83D'],
  ['a character of nobody', '\uE000'],
  ['a filler', '\u3164'],
  ['an annotation mark', '\uFFF9'],
])('%s is refused wherever it stands', (_what, hidden) => {
  expect(readPlainText(`Ana${hidden}Lúcia`, 60)).toEqual({
    fault: 'leave out control characters, line breaks and invisible characters',
  });
});

test('invisible characters are removed from what is typed, and a line break becomes a blank', () => {
  expect(withoutInvisible('fila\tdupla\u200E no\r\nportão\u00AD 4')).toBe('fila dupla no portão 4');
  expect(withoutInvisible('👨\u200D👩\u200D👧 família')).toBe('👨\u200D👩\u200D👧 família');
});

/** Any text at all, halves of characters included. */
const ANY_TEXT = fc
  .array(fc.integer({ min: 0, max: 0x10_ffff }), { maxLength: 80 })
  .map((points) => String.fromCodePoint(...points));

test('a stored text is read again unchanged, and fits', () => {
  fc.assert(
    fc.property(ANY_TEXT, (given) => {
      const read = readPlainText(given, 60);
      if ('fault' in read) return;
      expect(readPlainText(read.text, 60)).toEqual(read);
      expect(Array.from(read.text).length).toBeLessThanOrEqual(60);
      // eslint-disable-next-line no-control-regex
      expect(read.text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
    }),
  );
});

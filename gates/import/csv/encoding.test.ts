import { isUtf8 } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText, type Encoding } from './encoding.ts';
import { decodeWindows1252 } from './windows-1252.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Buffer, given?: Encoding, size = bytes.length || 1) {
  const text = await decodeText(inChunks(bytes, size), given);
  const chunks: Buffer[] = [];
  for await (const chunk of text.chunks) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), encoding: text.encoding };
}

/** Every character of Windows-1252, by its byte; '' for the five bytes that are none. */
const CHARACTERS = Array.from({ length: 256 }, (_, byte) => decodeWindows1252(Buffer.from([byte])) ?? '');

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'windows-1252') return Buffer.from(Array.from(text, (c) => CHARACTERS.indexOf(c)));
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

const HEADER = 'id;setor\n';

/** Not fast-check's own 'binary', which takes seconds to begin with. */
const anyCharacter = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));

test('Windows-1252 is that of the standard', () => {
  const known = Buffer.from([0x80, 0x85, 0x8a, 0x91, 0x96, 0x9f, 0xa0, 0xc3, 0xe7, 0xff]);
  expect(decodeWindows1252(known)).toBe('€…Š‘–Ÿ\u00A0Ãçÿ');
  expect(CHARACTERS.flatMap((c, byte) => (c === '' ? [byte] : []))).toEqual([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
  expect(new Set(CHARACTERS.filter((c) => c !== '')).size).toBe(251);
});

test.each([
  ['UTF-8', 'utf-8', 'utf-8', '\uFEFF'],
  ['UTF-8 without a byte order mark', 'utf-8', 'utf-8', ''],
  ['UTF-16, little end first', 'utf-16le', 'utf-16le', '\uFEFF'],
  ['UTF-16, big end first', 'utf-16be', 'utf-16be', '\uFEFF'],
  ['UTF-16, little end first, without a mark', 'utf-16le', 'utf-16le', ''],
  ['UTF-16, big end first, without a mark', 'utf-16be', 'utf-16be', ''],
] as const)('%s is found out and read, split anywhere', async (_name, encoding, found, mark) => {
  const text = fc.string({ unit: anyCharacter, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (body, size) => {
      const bytes = encode(mark + HEADER + body, encoding);
      expect(await decode(bytes, undefined, size)).toEqual({ text: HEADER + body, encoding: found });
    }),
  );
});

test('what UTF-8 does not allow is Windows-1252, split anywhere', async () => {
  const portuguese = 'áâãàçéêíóôõúÁÂÃÇÉÍÓÕÚºª€ SETOR4;\n'.split('');
  const text = fc.array(fc.constantFrom(...portuguese), { maxLength: 60 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (body, size) => {
      const bytes = encode(HEADER + body, 'windows-1252');
      const found = await decode(bytes, undefined, size).then(
        (result) => `${result.encoding}: ${result.text}`,
        (error: unknown) => String(error).replace(/ encodings: .*/s, ''),
      );
      // Letters in a row may be characters of UTF-8, too: then nothing is guessed.
      const others = isUtf8(bytes) ? `utf-8: ${bytes.toString()}` : 'GatesError: The file mixes';
      expect([`windows-1252: ${HEADER}${body}`, others]).toContain(found);
      expect(await decode(bytes, 'windows-1252', size)).toEqual({
        text: HEADER + body,
        encoding: 'windows-1252',
      });
    }),
  );
});

const LATIN = encode('SÃO\n', 'windows-1252');

test.each([1, 2, 3, 1_000])(
  'a file of two encodings is refused with both lines (chunks of %i)',
  async (size) => {
    const [utf8, latin] = [Buffer.from('Código;setor\nção\n'), LATIN];
    await expect(decode(Buffer.concat([utf8, latin]), undefined, size)).rejects.toThrow(
      /mixes encodings: line 1 looks like UTF-8 and line 3 is not.*--encoding/,
    );
    await expect(decode(Buffer.concat([Buffer.from(HEADER), latin, utf8]), undefined, size)).rejects.toThrow(
      /mixes encodings: line 3 looks like UTF-8 and line 2 is not/,
    );
    await expect(decode(Buffer.concat([utf8, latin]), 'utf-8', size)).rejects.toThrow(
      'Line 3 is bad: it is not UTF-8',
    );
  },
);

test('a byte that is no character is never replaced by one', async () => {
  const bytes = Buffer.concat([Buffer.from(HEADER), LATIN, Buffer.from([0x61, 0x81])]);
  await expect(decode(bytes)).rejects.toThrow(
    /^Line 3 is bad: it holds a byte that is no character of Windows-1252/,
  );
});

test('half a character of UTF-16 is never replaced by another', async () => {
  const bytes = encode(`${HEADER}a\uD83D;4\n`, 'utf-16le');
  await expect(decode(bytes)).rejects.toThrow(/^From line \d on, the file is not UTF-16LE/);
  await expect(decode(encode(HEADER, 'utf-16le').subarray(0, -1))).rejects.toThrow(/not UTF-16LE/);
});

test.each([
  ['a workbook of Excel', Buffer.from('PK\u0003\u0004....'), /Excel workbook, or an archive: save it as CSV/],
  [
    'an old one',
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
    /Excel workbook, or an archive: save it as CSV/,
  ],
  [
    'a gzip archive, as a backup is',
    gzipSync(HEADER),
    /compressed: unpack it\. If "backup" wrote it, "restore" reads/,
  ],
])('%s is recognized', async (_name, bytes, words) => {
  await expect(decode(bytes)).rejects.toThrow(words);
});

test('an empty file is an empty text', async () => {
  expect(await decode(Buffer.alloc(0))).toEqual({ text: '', encoding: 'utf-8' });
});

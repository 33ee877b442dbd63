import fc from 'fast-check';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { nameFew } from './bad-lines.ts';
import { type ColumnNames, ID_AND_SECTOR } from './columns.ts';
import type { Encoding } from './encoding.ts';
import { type IncomingTicket, openTickets } from './read-tickets.ts';
import { readGivenWords } from './words.ts';

const NEVER = new AbortController().signal;

async function read(
  bytes: Buffer | Readable,
  {
    columns = {},
    words = [],
    encoding,
    pieceSize = 64,
  }: { columns?: ColumnNames; words?: string[]; encoding?: Encoding; pieceSize?: number } = {},
) {
  const pieces = function* (all: Buffer): Generator<Buffer> {
    for (let at = 0; at < all.length; at += pieceSize) yield all.subarray(at, at + pieceSize);
  };
  const stream = Buffer.isBuffer(bytes) ? Readable.from(pieces(bytes), { objectMode: false }) : bytes;
  const file = {
    path: 'x',
    bytes: stream,
    fingerprint: undefined,
    readPercent: () => undefined,
    assertUnchanged: async () => {},
  };
  const wanted = { names: columns, needed: ID_AND_SECTOR };
  const options = { columns: wanted, words: readGivenWords(words), encoding, keepsBadLines: true };
  const reader = await openTickets(file, options, NEVER);
  const tickets: IncomingTicket[] = [];
  await reader.readAll(async (batches) => {
    for await (const batch of batches) tickets.push(...batch);
  });
  return { tickets, reader };
}

const readText = (text: string, options = {}) => read(Buffer.from(text), options);

async function idsOf(text: string): Promise<string[]> {
  const { tickets, reader } = await readText(text);
  expect(reader.badLines.count).toBe(0);
  return tickets.map(({ id, setor }) => `${id}@${setor}`);
}

async function badLinesOf(text: string, options = {}): Promise<string> {
  try {
    const { reader } = await readText(text, options);
    return reader.badLines.toError('').message;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/** As some program writes it. */
interface Style {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly encoding: Encoding;
  readonly hasMark: boolean;
  readonly order: readonly string[];
  readonly words: readonly [yes: string, no: string];
  readonly quotesAll: boolean;
  readonly hasSeparatorLine: boolean;
  readonly pieceSize: number;
}

const anyStyle: fc.Arbitrary<Style> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  encoding: fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be'),
  hasMark: fc.boolean(),
  order: fc.shuffledSubarray(['ID', 'IsValidTicket', 'ENTROU', 'setor', 'Nome, do; "titular"', 'CPF'], {
    minLength: 6,
  }),
  words: fc.constantFrom(
    ['true', 'false'],
    ['1', '0'],
    [' Sim ', 'Não'],
    ['s', 'N'],
    ['VERDADEIRO', 'FALSO'],
  ),
  quotesAll: fc.boolean(),
  hasSeparatorLine: fc.boolean(),
  pieceSize: fc.integer({ min: 1, max: 50 }),
});

const anyCharacter = fc
  .integer({ min: 1, max: 0x10_ff_ff })
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));

const text = (maxBytes: number, minLength: number): fc.Arbitrary<string> =>
  fc
    .string({
      unit: fc.oneof(fc.constantFrom('"', ',', ';', '\t', '\n', '\r', ' ', '\\', 'ã', 'É'), anyCharacter),
      minLength,
      maxLength: 12,
    })
    .filter(
      (value) =>
        Buffer.byteLength(value) <= maxBytes &&
        Buffer.from(value).toString() === value &&
        !/[\0\uFFFD]/.test(value),
    );

const ticket = fc.record({
  id: text(128, 1),
  isValid: fc.boolean(),
  entrou: fc.boolean(),
  setor: text(32, 1).filter((setor) => setor.trim() !== ''),
  name: text(100, 0),
});

function write(
  tickets: readonly (typeof ticket extends fc.Arbitrary<infer T> ? T : never)[],
  style: Style,
): Buffer {
  const { delimiter, lineEnd, words, quotesAll } = style;
  const quote = (value: string): string =>
    quotesAll || /[",;\t\r\n]|^\s|\s$|^\uFEFF|\uFEFF$/.test(value)
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  const fieldOf = (
    column: string,
    { id, isValid, entrou, setor, name }: (typeof tickets)[number],
  ): string => {
    const word = (value: boolean): string => words[value ? 0 : 1];
    switch (column) {
      case 'ID':
        return quote(id);
      case 'IsValidTicket':
        return word(isValid);
      case 'ENTROU':
        return word(entrou);
      case 'setor':
        return quote(setor);
      default:
        return quote(name);
    }
  };
  const lines = [
    ...(style.hasSeparatorLine ? [`sep=${delimiter}`] : []),
    style.order.map(quote).join(delimiter),
    ...tickets.map((one) => style.order.map((column) => fieldOf(column, one)).join(delimiter)),
  ];
  const whole = `${style.hasMark ? '\uFEFF' : ''}${lines.join(lineEnd)}${lineEnd}`;
  if (style.encoding === 'utf-8') return Buffer.from(whole);
  const bytes = Buffer.from(whole, 'utf16le');
  return style.encoding === 'utf-16le' ? bytes : bytes.swap16();
}

test('whatever tickets hold, in whatever way they are written, they are read so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ticket, { maxLength: 20 }), anyStyle, async (tickets, how) => {
      const { tickets: found, reader } = await read(write(tickets, how), { pieceSize: how.pieceSize });
      if (reader.badLines.count > 0) throw reader.badLines.toError('');
      expect(found.map(({ line: _line, text: _text, ...fields }) => fields)).toEqual(
        tickets.map(({ name: _name, ...fields }) => fields),
      );
    }),
    { numRuns: repetitions(400, 60) },
  );
});

test.each([
  ['commas in ids of a file with semicolons', 'id;setor\nA,1;4\nB,2;9\n', ['A,1@4', 'B,2@9']],
  ['semicolons in a quoted name of a column', 'id,"a;setor;entrou;isValidTicket",setor\n1,,4\n', ['1@4']],
  ['tabs', 'setor\tnome\tid\n4\t\tA\n', ['A@4']],
  ["Excel's line before the header", 'sep=;\r\nid;setor\r\nA;4\r\n', ['A@4']],
  ['a delimiter that only that line names', 'sep=|\nid|setor\nA;|4\n', ['A;@4']],
  ['spaces around what is not quoted', 'id , setor\n A , "4" \n', ['A@4']],
  ['spaces within quotes', 'id,setor\n" A ","4 "\n', [' A @4 ']],
  ['lines of nothing but delimiters', 'id;setor;x\nA;4;\n;;\n\nB;9;\n', ['A@4', 'B@9']],
  ['no line end at the end', 'id,setor\nA,4', ['A@4']],
  ['a header alone', 'id,setor', []],
  ['an empty line before the header', '\nid,setor\nA,4\n', ['A@4']],
  ['other names', 'Código do Ingresso;SETOR;Válido\nA;4;Sim\n', ['A@4']],
])('%s', async (_name, content, tickets) => {
  expect(await idsOf(content)).toEqual(tickets);
});

test('a column that was named is taken, and no other', async () => {
  const content = 'codigo;Cod. barras;setor;Setor do ingresso\n1;A;x;4\n';
  const { tickets } = await readText(content, { columns: { id: 'cod. barras', setor: 'Setor do ingresso' } });
  expect(tickets).toEqual([
    { id: 'A', setor: '4', isValid: undefined, entrou: undefined, line: 2, text: '1;A;x;4' },
  ]);
  await expect(readText(content, { columns: { setor: 'Portão' } })).rejects.toThrow(
    /there is no column "Portão" for setor\. Read with semicolons .*: --column setor="NAME"\.$/,
  );
});

test("a field's own name goes before others, and two others are not chosen from", async () => {
  expect(await idsOf('codigo,id,setor\n1,A,4\n')).toEqual(['A@4']);
  await expect(readText('codigo,ticket,setor\n1,A,4\n')).rejects.toThrow(
    /id could be "codigo" or "ticket".*: --column id="NAME"\.$/,
  );
});

test('all bad lines are listed with their cause', async () => {
  const lines = Array.from({ length: 200 }, (_, index) =>
    index % 2 === 0 ? `t${index},4,maybe` : `t${index},4`,
  );
  const listed = (await badLinesOf(`id,setor,entrou\ngood,4,1\n${lines.join('\n')}\n`)).split('\n');
  expect(listed[0]).toMatch('Line 3 is bad: its entrou is "maybe"');
  expect(listed[1]).toBe('Line 4 is bad: it has 2 columns, and the header 3.');
  expect(listed.slice(199)).toEqual([
    'Line 202 is bad: it has 2 columns, and the header 3.',
    expect.stringMatching(/^100 lines have "maybe" in the column "entrou"/),
    '',
  ]);
  expect(nameFew(listed, 2)).toEqual([
    ...listed.slice(0, 2),
    '198 more lines are bad.',
    ...listed.slice(200),
  ]);
  expect(nameFew([...listed.slice(0, 3), '9 more lines are bad.'], 2)).toEqual([
    ...listed.slice(0, 2),
    '10 more lines are bad.',
  ]);
  expect(nameFew(listed.slice(198), 2)).toEqual(listed.slice(198));
});

test('numbers of lines are right after values over several lines, and quotes that stand wrong', async () => {
  const content = 'id,setor\r\n"a\r\nb\r\nc",4\r\nx"y,4\r\n,5\r\n"d\ne",4\r\n,6\r\n';
  expect(await badLinesOf(content)).toMatch(
    /^Line 5 is bad: a quote .*\nLine 6 is bad: .*\nLine 9 is bad: [^\n]*\n$/,
  );
});

test.each([
  ['a quote that is not closed', ['"a,4'], 'a quote is opened and not closed'],
  ['a quote that another line closes', ['"a,4', 'b,"4"'], 'a quote is opened and not closed'],
  ['text after a quote', ['"a"b,4'], 'a quoted value goes on after its closing quote'],
  ['a quote inside a value', ['a"b,4'], 'a quote stands inside a value'],
  ['a quote that makes one value of lines', ['"a,4', 'b,4"'], 'a quote is opened and not closed'],
  ['a quote that makes columns too many', ['"a,4', 'b,9', 'c",4,x'], 'a quote is opened and not closed'],
  [
    'a quote before lines with quotes',
    ['"a', 'b,9', '"c",9', '""', '""'],
    'a quote is opened and not closed',
  ],
])('%s spoils its own line alone', async (_name, [first = '', ...others], why) => {
  for (const pieceSize of [1, 7, 1_000]) {
    const content = `id,setor\n,4\nx,9\n${[first, ...others].join('\n')}\ny,9\n"z\nz",9\n`;
    const { tickets, reader } = await readText(content, { pieceSize });
    const bad = reader.badLines.kept;
    expect(bad[0]).toEqual({ line: 2, text: ',4', cause: 'its id is empty' });
    expect(bad[1]).toMatchObject({ line: 4, text: first, cause: expect.stringContaining(why) });
    const ids = tickets.map(({ id, line }) => `${id}@${line}`);
    const whole = others.flatMap((line, n) => (/^\w,9$/.test(line) ? [`${line[0]}@${5 + n}`] : []));
    expect(ids).toEqual(expect.arrayContaining(['x@3', ...whole]));
    expect(ids.slice(-2)).toEqual([`y@${5 + others.length}`, `z\nz@${6 + others.length}`]);
  }
});

const STATUS_FILE = `id,Situação,setor\na,ACTIVE,4\nb,Used,4\nc,ACTIVE,4\nd,,4\n`;
const STATUS = { columns: { entrou: 'Situação', isValidTicket: 'Situação' } };

test('words of a status column mean what was said, of each field its own', async () => {
  const words = ['entrou: active =não', 'ENTROU:used=SIM', 'entrou:=n', 'isValidTicket:ACTIVE=sim'];
  words.push('isValidTicket:Used=sim', 'isValidTicket:=não');
  const { tickets } = await readText(STATUS_FILE, { ...STATUS, words });
  expect(tickets.map(({ id, isValid, entrou }) => [id, isValid, entrou])).toEqual([
    ['a', true, false],
    ['b', true, true],
    ['c', true, false],
    ['d', false, false],
  ]);
});

test('unknown words are named with their column, their count, and the option that explains them', async () => {
  const words = [
    'isValidTicket:=não',
    'isValidTicket:ACTIVE=sim',
    'isValidTicket:used=sim',
    'entrou:used=sim',
  ];
  const lines = (await badLinesOf(STATUS_FILE, { ...STATUS, words })).split('\n');
  expect(lines).toContain(
    '2 lines have "ACTIVE" in the column "Situação" (entrou). Say what it means: --word "entrou:ACTIVE=sim", or =não.',
  );
  expect(lines.filter((line) => line.startsWith('Line'))).toHaveLength(3);
  const many = Array.from({ length: 1_100 }, (_, index) => `${index},w${index},4`).join('\n');
  const named = (await badLinesOf(`id,entrou,setor\n${many}\n`)).split('\n');
  expect(named[1_000]).toBe('100 more lines are bad.');
  expect(named.slice(1_001)).toHaveLength(7);
  expect(named).toContain('So are 995 more words.');
});

test.each(['entrou', 'entrou:x', 'entrou:x=yes', 'setor:x=sim', 'x=sim', 'entrou=x:sim'])(
  '--word %s is refused',
  (option) => {
    expect(() => readGivenWords([option])).toThrow('instead of FIELD:WORD=sim');
  },
);

test('a word is given one meaning', () => {
  expect(() => readGivenWords(['entrou:x=sim', 'entrou:X=não'])).toThrow('gives "X" of entrou twice');
});

test('a quote that is not closed is named as that, also where more follows than is read at once', async () => {
  const { tickets, reader } = await readText(`id,setor\n"a,4\n${'b,4\n'.repeat(20_000)}`);
  expect(reader.badLines.kept).toMatchObject([{ line: 2, cause: 'a quote is opened and not closed' }]);
  expect(tickets).toHaveLength(20_000);
});

test('a line without an end is cut, and the next ones are read', async () => {
  const { tickets, reader } = await readText(`id,setor\n${'x'.repeat(200_000)},4\na,4\n`, {
    pieceSize: 10_000,
  });
  expect(reader.badLines.kept).toMatchObject([
    { line: 2, cause: expect.stringContaining('longer than 65536') },
  ]);
  expect(tickets).toMatchObject([{ id: 'a', line: 3 }]);
});

test('a reader that is refused lets go of a pipe that is silent', async () => {
  const pipe = new PassThrough();
  pipe.write(`id,setor\n${'a,4\n'.repeat(5_000)}`);
  const file = {
    path: 'x',
    bytes: pipe,
    fingerprint: undefined,
    readPercent: () => undefined,
    assertUnchanged: async () => {},
  };
  const columns = { names: {}, needed: ID_AND_SECTOR };
  const options = { columns, words: new Map(), encoding: undefined, keepsBadLines: false };
  const reader = await openTickets(file, options, NEVER);
  const refusal = new Error('no');
  await expect(
    reader.readAll(async (batches) => {
      await batches[Symbol.asyncIterator]().next();
      throw refusal;
    }),
  ).rejects.toBe(refusal);
  expect(pipe.destroyed).toBe(true);
});

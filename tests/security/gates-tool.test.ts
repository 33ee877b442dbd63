import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { enter, revert } from '../../gates/enter.ts';
import { importTickets } from '../../gates/import.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { runProgram } from '../../testing/program.ts';

const SEED = 20_250_326;
const ROOT = join(import.meta.dirname, '../..');

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'triagem-hostile-'));
});

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await database.gates`delete from tickets`;
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const env = (): Record<string, string> => ({ GATES_DATABASE_URL: database.gatesUrl });
const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;

async function importRows(rows: readonly (readonly [id: string, setor: string])[]): Promise<void> {
  const lines = rows.map(([id, setor]) => `${quoted(id)},true,false,${quoted(setor)}\n`);
  const path = join(folder, 'tickets.csv');
  writeFileSync(path, `id,isValidTicket,entrou,setor\n${lines.join('')}`);
  await importTickets.run([path], env());
}

async function stored(): Promise<Map<string, string>> {
  const rows = await database.gates<{ id: string; setor: string }[]>`select id, setor from tickets`;
  return new Map(rows.map(({ id, setor }) => [id, setor]));
}

const HOSTILE = [
  `'; drop table tickets; --`,
  `x'), ('${DEFAULT_EVENT_ID}', 'forged', true, true, '4`,
  '$1',
  '${id}',
  '\\',
  '\\.',
  '\\N',
  'a\\nb',
  '"',
  '""',
  `"it's"`,
  'a\nb',
  'a\r\nb',
  'a\tb',
  '\u0001\u0007\b\u001B[2J\u007F\u009B',
  '=1+1',
  `=cmd|' /C calc'!A0`,
  '+1',
  '-1',
  '@SUM(A1)',
  '\u202Egnp.exe',
  '😀',
  'null',
  'true',
  '__proto__',
  'x'.repeat(128),
];

test('hostile ids and sectors are stored as they are, and nothing else happens', async () => {
  const rows = HOSTILE.map((id) => [id, id.length <= 20 ? id : '4'] as const);
  await importRows(rows);
  expect(await stored()).toEqual(new Map(rows));
  expect(await enter.run(['--count', String(rows.length)], env())).toBe(0);
  expect(await stored()).toEqual(new Map(rows));
});

test('whatever an id and a sector hold, they are stored so', async () => {
  const text = (maxBytes: number): fc.Arbitrary<string> =>
    fc
      .string({
        unit: fc.oneof(
          fc.constantFrom("'", '"', '\\', '\n', '\r', '\t', ',', ';', '=', '$', '`'),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ),
        minLength: 1,
        maxLength: 30,
      })
      .filter(
        (value) =>
          Buffer.byteLength(value) <= maxBytes &&
          Buffer.from(value).toString() === value &&
          !value.includes('\0'),
      );
  const rows = fc.uniqueArray(fc.tuple(text(128), text(32)), {
    selector: ([id]) => id,
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (values) => {
      await database.gates`delete from tickets`;
      await importRows(values);
      expect(await stored()).toEqual(new Map(values));
    }),
    { seed: SEED, numRuns: 10 },
  );
}, 60_000);

test.each([
  ['an id', 'x'.repeat(129), '4'],
  ['a sector', 'x', 'y'.repeat(33)],
  ['a field', 'x'.repeat(1_000_000), '4'],
])('%s that is too long stops the import, and nothing is imported', async (_what, id, setor) => {
  await expect(
    importRows([
      ['good', '4'],
      [id, setor],
    ]),
  ).rejects.toThrow(/Line 3 is bad: it.* longer than/);
  expect(await stored()).toEqual(new Map());
});

test.each([
  ['an id that is there twice', (value: string) => `${quoted(value)},1,0,4\n`.repeat(2)],
  ['a boolean that is none', (value: string) => `a,${quoted(value)},0,4\n`],
])('%s reaches the terminal without its control characters', async (_what, lines) => {
  const path = join(folder, 'refused.csv');
  writeFileSync(path, `id,isValidTicket,entrou,setor\n${lines('a\u001B[2J\u009B31m\u007F\u202E\u2028b')}`);
  const error: unknown = await importTickets.run([path], env()).catch((reason: unknown) => reason);
  const message = error instanceof Error ? error.message : '';
  expect(message).toMatch(/Line \d is bad: .*"a\\u001b\[2J\\u\{9b\}31m/);
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

test.each([
  ['the name of a command', ['bo\u001B[31mgus']],
  ['an option', ['enter', '--ba\u009Bd']],
  ['the name of a file', ['import', '/tmp/\u001B[31mno']],
  ['a sector', ['enter', '--setor', '4\u001B[31m', '--count', '1']],
])('%s reaches the terminal without its control characters', async (_what, args) => {
  const program = runProgram('gates', args, env());
  expect(await program.ended).not.toBe(0);
  const said = program.stdout() + program.stderr();
  expect(said).toMatch(/\\u\{?(1b|9b)/);
  expect(said.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test.each([`4' or '1'='1`, `4'; update tickets set entrou = true; --`, '%', '4\\'])(
  'a sector of %j is only a sector that no ticket has',
  async (setor) => {
    await importRows([
      ['a', '4'],
      ['b', '9'],
    ]);
    expect(await enter.run(['--setor', setor, '--count', '2'], env())).toBe(1);
    expect(await enter.run(['--setor', setor, '--count', '2', '--batch'], env())).toBe(1);
    const [row] = await database.gates<{ n: number }[]>`select count(*)::int as n from tickets where entrou`;
    expect(row?.n).toBe(0);
    expect(await revert.run(['--setor', setor], env())).toBe(1);
  },
);

/** `file` → how often it runs SQL that is not a template whose values are parameters. */
function unsafeSql(directory: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const path of readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    const source = readFileSync(join(ROOT, directory, path), 'utf8');
    const count = source.split('.unsafe(').length - 1;
    if (count > 0) found[path] = count;
  }
  return found;
}

test('SQL is concatenated only where a command takes no parameters, and then of quoted names', () => {
  // COPY, and statements on tables whose columns are not known before: names are quoted.
  expect(Object.keys(unsafeSql('gates')).toSorted()).toEqual([
    'copy-in.ts',
    'copy-out.ts',
    'restore-tables.ts',
  ]);
  // Names of roles, publications and slots, quoted or our own: see each.
  const files = Object.keys(unsafeSql('server')).map((path) => path.split('/').slice(0, 2).join('/'));
  for (const file of files) {
    expect([
      'database/schema',
      'database/embedded',
      'observing/replication-stream.ts',
      'observing/snapshot.ts',
    ]).toContain(file);
  }
});

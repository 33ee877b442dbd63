import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { enter, revert } from '../../gates/simulator/enter.ts';
import { importTickets } from '../../gates/import/import.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { IS_FULL, repetitions } from '../../testing/durations.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { runProgram } from '../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';

const SEED = 20_250_326;
const tool = useGatesTool();

async function importRows(rows: readonly (readonly [id: string, setor: string])[]): Promise<void> {
  const lines = rows.map(([id, setor]) => `${quoted(id)},true,false,${quoted(setor)}`);
  await tool.run(importTickets, tool.csv(...lines));
}

const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;

async function stored(): Promise<Map<string, string>> {
  const rows = await tool.database.gates<{ id: string; setor: string }[]>`select id, setor from tickets`;
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
  expect(await tool.run(enter, '--count', String(rows.length))).toBe(0);
  expect(await stored()).toEqual(new Map(rows));
});

test('whatever an id and a sector hold, they are stored so', async () => {
  const special = fc.constantFrom("'", '"', '\\', '\n', '\r', '\t', ',', ';', '=', '$', '`');
  const unit = fc.oneof(special, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
  const isText = (value: string): boolean => Buffer.from(value).toString() === value && !value.includes('\0');
  const text = (maxBytes: number): fc.Arbitrary<string> =>
    fc
      .string({ unit, minLength: 1, maxLength: 30 })
      .filter((value) => Buffer.byteLength(value) <= maxBytes && isText(value));
  const byId = { selector: ([id]: [string, string]) => id, minLength: 1, maxLength: 60 };
  const rows = fc.uniqueArray(fc.tuple(text(128), text(32)), byId);
  await fc.assert(
    fc.asyncProperty(rows, async (values) => {
      await tool.database.gates`delete from tickets`;
      await importRows(values);
      expect(await stored()).toEqual(new Map(values));
    }),
    { seed: SEED, numRuns: repetitions(10, 3) },
  );
});

test.each([
  ['an id', 'x'.repeat(129), '4'],
  ['a sector', 'x', 'y'.repeat(33)],
  ['a field', 'x'.repeat(1_000_000), '4'],
])('%s that is too long stops the import, and nothing is imported', async (_what, id, setor) => {
  const good = ['good', '4'] as const;
  await expect(importRows([good, [id, setor]])).rejects.toThrow(/Line 3 is bad: it.* longer than/);
  expect(await stored()).toEqual(new Map());
});

test.each([
  ['an id with other values', (value: string) => `${quoted(value)},1,0,4\n${quoted(value)},1,0,9\n`],
  ['a boolean that is none', (value: string) => `a,${quoted(value)},0,4\n`],
])('%s reaches the terminal without its control characters', async (_what, lines) => {
  const path = tool.csv(lines('a\u001B[2J\u009B31m\u007F\u202E\u2028b'));
  const error: unknown = await tool.run(importTickets, path).catch((reason: unknown) => reason);
  const message = error instanceof Error ? error.message : '';
  expect(message).toMatch(/Line \d is bad: .*"a\\u001b\[2J\\u\{9b\}31m/);
  // Each bad line has a line of its own.
  expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});

const HOSTILE_ARGUMENTS: [what: string, args: string[]][] = [
  ['a sector', ['enter', '--setor', '4\u001B[31m', '--count', '1']],
];
if (IS_FULL) {
  HOSTILE_ARGUMENTS.push(
    ['the name of a command', ['bo\u001B[31mgus']],
    ['an option', ['enter', '--ba\u009Bd']],
    ['the name of a file', ['import', '/tmp/\u001B[31mno']],
  );
}

test.each(HOSTILE_ARGUMENTS)(
  '%s reaches the terminal without its control characters',
  async (_what, args) => {
    const program = runProgram('gates', args, { GATES_DATABASE_URL: tool.database.gatesUrl });
    expect(await program.ended).not.toBe(0);
    const said = program.stdout() + program.stderr();
    expect(said).toMatch(/\\u\{?(1b|9b)/);
    expect(said.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  },
);

test('a hostile sector is only one that no ticket has', async () => {
  await insertTickets(tool.database.gates, { outside: { a: '4', b: '9' } });
  for (const setor of [`4' or '1'='1`, `4'; update tickets set entrou = true; --`, '%', '4\\']) {
    expect(await tool.run(enter, '--setor', setor, '--count', '2'), setor).toBe(1);
    expect(await tool.run(enter, '--setor', setor, '--count', '2', '--batch'), setor).toBe(1);
    expect(await tool.run(revert, '--setor', setor, '--count', '1'), setor).toBe(1);
  }
  expect(await tool.entered()).toBe(0);
});

/** Those that run SQL which is not a template whose values are parameters. */
function filesWithUnsafeSql(directory: string): string[] {
  const files = readdirSync(join(PROJECT_ROOT, directory), { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(PROJECT_ROOT, directory, path), 'utf8').includes('.unsafe('))
    .map((path) => `${directory}/${path}`)
    .toSorted();
}

test('SQL is concatenated only where a command takes no parameters, and then of quoted names', () => {
  // COPY, and statements on tables whose columns are not known before, among them all of `connect`: names and values are
  // quoted, IDs are numbers. The name of a snapshot is PostgreSQL's own.
  expect(filesWithUnsafeSql('gates')).toEqual([
    'gates/backup/copy-out.ts',
    'gates/backup/record-beside.ts',
    'gates/backup/restore-tables.ts',
    'gates/connect/sql.ts',
    'gates/import/copy-in.ts',
  ]);
  // Names of roles, publications and slots, quoted or our own, and a part of a statement that the gates send, too: see each. The record's session sends each statement as one
  // message, which takes no parameters: its values are quoted.
  const files = ['board', 'desk', 'fleet', 'database', 'server'].flatMap(filesWithUnsafeSql);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    expect(file).toMatch(
      /^(database\/(schema|embedded)\/|board\/sources\/postgres\/(replication-stream|snapshot|catalogue)\.ts$|desk\/record\/record-session\.ts$)/,
    );
  }
});

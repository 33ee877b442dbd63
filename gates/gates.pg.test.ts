import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../tests/support/test-database.ts';
import type { Command } from './command.ts';
import { enter, revert } from './enter.ts';
import { GatesError, UsageError } from './errors.ts';
import { importTickets } from './import.ts';
import { simulate } from './simulate.ts';
import { url } from './url.ts';

const OTHER_EVENT = 'a'.repeat(32);

let database: TestDatabase;
let folder: string;
let printed = '';

beforeEach(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'triagem-gates-'));
  printed = '';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

function run(command: Command, ...args: string[]): Promise<number> {
  return command.run(args, { GATES_DATABASE_URL: database.gatesUrl });
}

function file(content: string | Buffer): string {
  const path = join(folder, 'tickets.csv');
  writeFileSync(path, content);
  return path;
}

function csv(...lines: string[]): string {
  return file(`id,isValidTicket,entrou,setor\n${lines.join('\n')}\n`);
}

async function tickets(): Promise<string[]> {
  const rows = await database.gates<{ text: string }[]>`
    select concat_ws('|', event_id, id, is_valid_ticket, entrou, setor) as text from tickets order by event_id, id`;
  return rows.map(({ text }) => text.replace(DEFAULT_EVENT_ID, 'event'));
}

async function entered(): Promise<number> {
  const [row] = await database.gates<{ n: number }[]>`select count(*)::int as n from tickets where entrou`;
  return row?.n ?? -1;
}

test('a file is imported, with a byte order mark and Windows line ends, whatever its values hold', async () => {
  await run(
    importTickets,
    file(
      '\uFEFFid,isValidTicket,entrou,setor\r\n"a ""b"",\nc",true,0,4\r\n\\N,false,1,\' 4\r\n"tab\there\\",1,1,\u0001\r\n',
    ),
  );
  expect(await tickets()).toEqual(
    ['event|a "b",\nc|t|f|4', "event|\\N|f|t|' 4", 'event|tab\there\\|t|t|\u0001'].toSorted(),
  );
  expect(printed).toMatch('3 inserted');
});

test('lines that end in two ways in one file leave nothing of their ends in a value', async () => {
  await run(importTickets, file('id,isValidTicket,entrou,setor\na,true,false,4\r\nb,true,false,8\n'));
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|f|8']);
});

test('importing again in mid-match undoes no admission and tells what differs', async () => {
  const path = csv('a,true,false,4', 'b,true,false,4', 'c,true,false,4');
  await run(importTickets, path);
  await run(enter, '--count', '2');
  await database.gates`delete from tickets where id = 'c'`;
  const before = await entered();
  printed = '';
  expect(await run(importTickets, path)).toBe(0);
  expect(await entered()).toBe(before);
  expect(printed).toBe(
    `1 inserted\n${2 - before} already there, the same\n${before} already there, different: not changed\n`,
  );
});

test('an import is for EVENT_ID, or for the event that --event says', async () => {
  await run(importTickets, csv('a,1,1,4'), '--event', OTHER_EVENT);
  await importTickets.run([csv('b,1,1,4')], {
    GATES_DATABASE_URL: database.gatesUrl,
    EVENT_ID: 'b'.repeat(32),
  });
  expect(await tickets()).toEqual([`${OTHER_EVENT}|a|t|t|4`, `${'b'.repeat(32)}|b|t|t|4`]);
});

test.each([
  ['a missing column', 'x,true,true', 3],
  ['a bad boolean', 'x,yes,true,4', 3],
  ['an id that was there before', 'good,true,true,4', 3],
  ['a quote that is not closed', '"x,true,true,4', 3],
  ['a quote inside a value', 'x"y,true,true,4', 3],
  ['text after a quote', '"x"y,true,true,4', 3],
  ['a bad line after a value over two lines', '"x\ny",true,true,4\nz,maybe,true,4', 5],
])('%s stops the import at its line, and nothing is imported', async (_what, line, number) => {
  await expect(run(importTickets, csv('good,true,true,4', line))).rejects.toThrow(`Line ${number} is bad`);
  expect(await tickets()).toEqual([]);
});

test('bytes that are not UTF-8 stop the import', async () => {
  const bytes = Buffer.concat([
    Buffer.from('id,isValidTicket,entrou,setor\na'),
    Buffer.from([0xe9]),
    Buffer.from(',1,1,4\n'),
  ]);
  await expect(run(importTickets, file(bytes))).rejects.toThrow('Line 2 is bad: its id is not UTF-8');
});

test.each(['', 'id;isValidTicket;entrou;setor\n', 'ID,isValidTicket,entrou,setor\n', 'a,true,true,4\n'])(
  'a file that begins with %j is refused for its header',
  async (text) => {
    await expect(run(importTickets, file(text))).rejects.toThrow('Line 1 is bad: the header must be');
  },
);

test('an unclosed quote at the head of a large file is found without reading all of it into memory', async () => {
  const path = csv('"x,1,1,4', 't,1,1,4\n'.repeat(200_000));
  await expect(run(importTickets, path)).rejects.toThrow(/longer than 4096 bytes/);
});

test('100,000 tickets arrive, exactly', async () => {
  const path = csv(...Array.from({ length: 100_000 }, (_, index) => `t${index},1,${index % 2},4`));
  await run(importTickets, path);
  expect(await entered()).toBe(50_000);
});

test('holders enter in the sector that is named, each in a commit of its own', async () => {
  await run(
    importTickets,
    csv(...Array.from({ length: 20 }, (_, index) => `t${index},1,0,${index % 2 ? '4' : '9'}`)),
  );
  expect(await run(enter, '--setor', '4', '--count', '7')).toBe(0);
  const commits = await database.gates<{ xmin: string; setor: string }[]>`
    select xmin::text, setor from tickets where entrou`;
  expect(new Set(commits.map(({ xmin }) => xmin)).size).toBe(7);
  expect(commits.every(({ setor }) => setor === '4')).toBe(true);
});

test('with --batch they enter in one commit', async () => {
  await run(importTickets, csv(...Array.from({ length: 20 }, (_, index) => `t${index},1,0,4`)));
  await run(enter, '--batch', '--count', '7');
  const commits = await database.gates<{ xmin: string }[]>`select xmin::text from tickets where entrou`;
  expect(new Set(commits.map(({ xmin }) => xmin)).size).toBe(1);
  expect(commits).toHaveLength(7);
});

test('fewer tickets than asked for is said, and is a failure', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,4', 'c,1,0,9'));
  expect(await run(enter, '--setor', '4', '--count', '5')).toBe(1);
  expect(printed).toMatch('2 tickets of sector 4 entered');
  expect(await run(revert, '--count', '5')).toBe(1);
  expect(await entered()).toBe(0);
});

test('two gates at the same time let nobody in twice', async () => {
  await run(importTickets, csv(...Array.from({ length: 200 }, (_, index) => `t${index},1,0,4`)));
  const codes = await Promise.all(
    [1, 2, 3].map((part) => run(enter, '--count', '60', ...(part === 3 ? ['--batch'] : []))),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(await entered()).toBe(180);
});

test('a simulated crowd comes in, and not all of it', async () => {
  await run(simulate, '--tickets', '3000', '--speed', '50000');
  const total = await entered();
  expect(total).toBeGreaterThan(2_600);
  expect(total).toBeLessThan(2_950);
  expect(printed).toMatch(`The crowd is in: ${total} of 3000`);
});

test('a simulation leaves an event with tickets alone, and others with --reset, too', async () => {
  await run(importTickets, csv('real,1,1,4'), '--event', OTHER_EVENT);
  await run(importTickets, csv('mine,1,1,4'));
  await expect(run(simulate, '--tickets', '10', '--speed', '1e6')).rejects.toThrow(GatesError);
  expect(await tickets()).toHaveLength(2);
  await run(simulate, '--tickets', '10', '--speed', '1e6', '--reset');
  const after = await tickets();
  expect(after).toHaveLength(11);
  expect(after).toContain(`${OTHER_EVENT}|real|t|t|4`);
});

test('url prints the connection string and nothing else on stdout', async () => {
  await run(url);
  expect(printed).toBe(`${database.gatesUrl}\n`);
});

test.each([
  [enter, ['--sector', '4'], `'--sector'`],
  [enter, ['--count', '0'], '--count is "0"'],
  [enter, ['--count', '1.5'], '--count is "1.5"'],
  [revert, ['--event', 'x'], '--event is "x"'],
  [importTickets, [], 'FILE.csv is missing'],
  [importTickets, ['a', 'b'], '"b" is one argument too many'],
  [simulate, ['--speed', '-1'], '--speed'],
  [simulate, ['--speed', 'fast'], '--speed is "fast"'],
  [url, ['x'], '"x" is one argument too many'],
])('a wrong option is named (%#)', async (command, args, text) => {
  await expect(run(command, ...args)).rejects.toThrow(UsageError);
  await expect(run(command, ...args)).rejects.toThrow(text);
});

test('where no database runs, it says what to start', async () => {
  await expect(url.run([], { DATA_DIR: folder })).rejects.toThrow(/npm start/);
  writeFileSync(join(folder, 'gates.json'), JSON.stringify({ url: 'postgres://a:b@127.0.0.1:1/x', pid: 1 }));
  await expect(url.run([], { DATA_DIR: folder })).rejects.toThrow(/does not answer/);
});

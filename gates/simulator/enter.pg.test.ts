import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openSession } from '../../database/database-session.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { shutSilently } from '../../testing/gates/gates-listener.ts';
import { sitAtTerminal } from '../../testing/server/terminal.ts';
import { until } from '../../testing/until.ts';
import { enter, revert } from './enter.ts';
import { UsageError } from '../cli/errors.ts';
import { importTickets } from '../import/import.ts';

const tool = useGatesTool();
const { run, csv, tickets, entered } = tool;

test('holders enter in the sector that is named, each in a commit of its own', async () => {
  await run(
    importTickets,
    csv(...Array.from({ length: 20 }, (_, index) => `t${index},1,0,${index % 2 ? '4' : '9'}`)),
  );
  expect(await run(enter, '--setor', '4', '--count', '7')).toBe(0);
  const commits = await tool.database.gates<{ xmin: string; setor: string }[]>`
    select xmin::text, setor from tickets where entrou`;
  expect(new Set(commits.map(({ xmin }) => xmin)).size).toBe(7);
  expect(commits.every(({ setor }) => setor === '4')).toBe(true);
});

test('with --batch they enter in one commit', async () => {
  await run(importTickets, csv(...Array.from({ length: 20 }, (_, index) => `t${index},1,0,4`)));
  await run(enter, '--batch', '--count', '7');
  const commits = await tool.database.gates<{ xmin: string }[]>`select xmin::text from tickets where entrou`;
  expect(new Set(commits.map(({ xmin }) => xmin)).size).toBe(1);
  expect(commits).toHaveLength(7);
});

test('fewer tickets than asked for is a failure, and reported', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,4', 'c,1,0,9'));
  expect(await run(enter, '--setor', '4', '--count', '5')).toBe(1);
  expect(tool.stdout).toMatch('2 tickets of sector 4 entered');
  expect(await run(revert, '--count', '5')).toBe(1);
  expect(await entered()).toBe(0);
});

test('an event or a sector without any ticket is reported', async () => {
  expect(await run(enter, '--count', '1')).toBe(1);
  expect(tool.stderr).toMatch(`1 were asked for: event ${DEFAULT_EVENT_ID} has no ticket.\n`);
  await run(importTickets, csv('a,1,1,4'));
  expect(await run(enter, '--setor', '04', '--count', '1')).toBe(1);
  expect(tool.stderr).toMatch(`1 were asked for: event ${DEFAULT_EVENT_ID} has no ticket of sector 04.\n`);
  expect(await run(enter, '--setor', '4', '--count', '1')).toBe(1);
  expect(tool.stderr).toMatch('1 were asked for: no more tickets are left to enter.\n');
});

test.each([
  ['--id', 'a'],
  ['--count', '1'],
])('where the answer to a commit is lost, that is said: enter %s %s', async (...args) => {
  await run(importTickets, csv('a,1,0,4'));
  const { admin } = tool.database;
  const network = await startNetwork(tool.database.gatesUrl);
  // While the statement waits, its answer can be lost.
  await admin.unsafe(`
    create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(7); return new; end $$;
    create trigger wait before update on tickets for each row execute function wait()`);
  const holding = openSession(tool.database.adminUrl, {});
  try {
    await holding.sql`select pg_advisory_lock(7)`;
    const failed = enter
      .run(args, { GATES_DATABASE_URL: network.url })
      .catch((error: unknown) => String(error));
    const waiting = () => admin`
      select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`;
    await until(async () => expect(await waiting()).toHaveLength(1));
    network.cut();
    expect(await failed).toMatch(/Whether the commit was made is not known: look/);
  } finally {
    await holding.end();
    await until(async () => expect(await entered()).toBe(1));
    await admin`drop function wait cascade`;
  }
  expect(tool.stdout).not.toMatch('entered');
});

test('two gates at the same time let nobody in twice', async () => {
  await run(importTickets, csv(...Array.from({ length: 200 }, (_, index) => `t${index},1,0,4`)));
  const codes = await Promise.all(
    [1, 2, 3].map((part) => run(enter, '--count', '60', ...(part === 3 ? ['--batch'] : []))),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(await entered()).toBe(180);
});

test('tickets that are named enter, and no others', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,4', '-c,1,0,9', 'd,1,0,4'));
  expect(await run(enter, '--id', 'b', '--id', '-c', '--id', 'b')).toBe(0);
  expect(await tickets()).toEqual(['event|-c|t|t|9', 'event|a|t|f|4', 'event|b|t|t|4', 'event|d|t|f|4']);
  expect(await run(revert, '--id', 'b')).toBe(0);
  expect(await entered()).toBe(1);
  expect(tool.stdout).toMatch('2 tickets entered\n1 ticket taken back\n');
});

test.each([[[]], [['--batch']]])(
  'a ticket that is unknown or has entered already is a failure, and reported; the others enter: %j',
  async (options) => {
    await run(importTickets, csv('a,1,1,4', 'b,1,0,4'));
    await run(importTickets, csv('other,1,0,4'), '--event', 'a'.repeat(32));
    const ids = ['--id', 'a', '--id', 'other', '--id', 'b'];
    expect(await run(enter, ...ids, ...options)).toBe(1);
    expect(tool.stdout).toMatch('1 ticket entered\n');
    expect(tool.stderr).toMatch('"a" has entered already.\n"other" is no ticket of this event.\n');
    expect(await entered()).toBe(2);
    expect(await run(revert, '--id', 'b', '--id', 'b', ...options)).toBe(0);
    expect(await run(revert, '--id', 'b', ...options)).toBe(1);
    expect(tool.stderr).toMatch('"b" has not entered.');
  },
);

test('more than 100 at once need --yes where nobody can be asked', async () => {
  await run(importTickets, csv(...Array.from({ length: 120 }, (_, index) => `t${index},1,0,4`)));
  const many = ['--count', '101', '--batch'];
  await expect(run(enter, ...many)).rejects.toThrow('101 tickets at once need --yes');
  // The event is named first.
  expect(tool.stderr).toMatch(`Event ${DEFAULT_EVENT_ID}: no board shows it`);
  await expect(run(enter, ...many)).rejects.toThrow(UsageError);
  expect(await entered()).toBe(0);
  expect(await run(enter, '--count', '100')).toBe(0);
  expect(await run(revert, '--count', '100', '--batch')).toBe(0);
  expect(await run(enter, ...many, '--yes')).toBe(0);
  expect(await entered()).toBe(101);
});

test('--batch marks no more than it is asked for, whatever plan the database makes', async () => {
  const { admin } = tool.database;
  await run(importTickets, csv('first,1,1,4'));
  // As after an import, before the table's statistics are renewed.
  await admin`analyze tickets`;
  await run(importTickets, csv(...Array.from({ length: 300 }, (_, index) => `t${index},1,0,4`)));
  const [row] = await admin<{ name: string }[]>`select current_database() as name`;
  const methods = ['hashjoin', 'mergejoin', 'indexscan', 'bitmapscan', 'indexonlyscan', 'material'];
  for (const method of methods) await admin.unsafe(`alter database ${row?.name} set enable_${method} = off`);
  expect(await run(enter, '--count', '7', '--batch')).toBe(0);
  expect(await entered()).toBe(8);
  for (const method of methods) await admin.unsafe(`alter database ${row?.name} reset enable_${method}`);
});

test('a ticket that a trigger leaves as it is has not entered, which is said, and has no time', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,4', 'c,1,0,4'));
  await shutSilently(tool.database, 'a');
  for (const options of [[], ['--batch']]) {
    expect(await run(enter, '--id', 'a', '--id', 'b', ...options)).toBe(1);
    expect(tool.stdout).toMatch(/1 ticket entered\n$/);
    expect(tool.stderr).toMatch(/"a": A trigger of the database does not let a ticket be changed/);
    await run(revert, '--id', 'b');
    expect(await run(enter, '--count', '3', ...options)).toBe(1);
    expect(tool.stdout).toMatch(/2 tickets entered\n$/);
    await run(revert, '--count', '2');
  }
  expect(await tool.database.gates`select id from ticket_times order by id`).toEqual([
    { id: 'b' },
    { id: 'c' },
  ]);
});

test('the number that had entered before the database failed is printed', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,4', 'c,1,0,4'));
  await tool.database.admin.unsafe(`
    create function refuse_third() returns trigger language plpgsql as $$
      begin
        if (select count(*) from tickets where entrou) > 2 then raise 'the gate is shut'; end if;
        return null;
      end $$;
    create constraint trigger refuse_third after update on tickets deferrable initially deferred
      for each row execute function refuse_third()`);
  await expect(run(enter, '--count', '3')).rejects.toThrow(/refused this: the gate is shut/);
  expect(tool.stdout).toMatch('2 tickets entered\n');
  expect(await entered()).toBe(2);
  await run(revert, '--count', '2');
  await expect(run(enter, '--count', '3', '--batch')).rejects.toThrow('Nothing was changed.');
  expect(tool.stdout).not.toMatch('3 tickets');
  expect(await entered()).toBe(0);
  await tool.database.admin.unsafe('drop function refuse_third cascade');
});

test.each([
  ['Ctrl-C', '\u0003', { code: 130, count: 0, words: 'Nothing was changed.' }],
  ['y', 'y\n', { code: 1, count: 120, words: '120 tickets of sector 4 entered' }],
  ...(IS_FULL
    ? ([
        ['n', 'n\n', { code: 1, count: 0, words: 'Nothing was changed.' }],
        ['Ctrl-D', '\u0004', { code: 1, count: 0, words: 'Nothing was changed.' }],
      ] as const)
    : []),
] as const)(
  'on a terminal more than 100 at once are asked for: what, how many, of which event; %s',
  async (_name, answer, { code, count, words }) => {
    await run(importTickets, csv(...Array.from({ length: 120 }, (_, index) => `t${index},1,0,4`)));
    const terminal = sitAtTerminal(tool, 'enter', '--setor', '4', '--count', '200', '--batch');
    const question = `Mark as entered: 120 tickets of sector 4, event ${DEFAULT_EVENT_ID}? [y/N]`;
    await until(() => expect(terminal.shown()).toContain(question), 30_000);
    expect(await entered()).toBe(0);
    terminal.type(answer);
    expect(await terminal.ended, terminal.shown()).toBe(code);
    expect(await entered()).toBe(count);
    expect(terminal.shown()).toMatch(words);
  },
);

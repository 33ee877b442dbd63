import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { sitAtTerminal } from '../../testing/server/terminal.ts';
import { until } from '../../testing/until.ts';
import { showEvent } from '../events/show.ts';
import { importTickets } from './import.ts';

const tool = useGatesTool();
const { run, file, csv, tickets, entered } = tool;

const FOUR = ['a,1,0,4', 'b,1,1,4', 'c,0,0,9', 'd,1,0,9'];
const FOUR_STORED = ['event|a|t|f|4', 'event|b|t|t|4', 'event|c|f|f|9', 'event|d|t|f|9'];

const MANY = Array.from({ length: 400 }, (_, index) => `t${index}`);

function printedBy(...args: string[]): Promise<string> {
  return printedWith(0, ...args);
}

async function printedWith(exitCode: number, ...args: string[]): Promise<string> {
  const before = tool.stdout.length;
  expect(await run(importTickets, ...args)).toBe(exitCode);
  return tool.stdout.slice(before);
}

test('--update corrects validity and sector, and never an admission', async () => {
  await run(importTickets, csv(...FOUR));
  const path = csv('a,0,1,4', 'b,1,0,4', 'c,1,0,8', 'd,1,0,9', 'e,1,1,7');
  expect(await printedBy(path)).toBe(
    '1 inserted\n1 already there, the same\n3 already there, different: not changed (--update corrects all but entrou)\n',
  );
  await tool.database.gates`delete from tickets where id = 'e'`;
  expect(await printedBy(path, '--update')).toBe(
    '1 inserted\n1 already there, the same\n2 already there, different: corrected (1 valid again, 1 no longer valid)\n' +
      '1 already there, different in entrou alone: not changed\n',
  );
  const corrected = ['event|a|f|f|4', 'event|b|t|t|4', 'event|c|t|f|8', 'event|d|t|f|9', 'event|e|t|t|7'];
  expect(await tickets()).toEqual(corrected);
  expect(await printedBy(path, '--update')).toMatch('\n0 already there, different: corrected\n');
  const back = csv('a,1,0,4', 'b,0,1,4', 'c,1,0,7');
  const counts = '3 already there, different: would be corrected (1 valid again, 1 no longer valid)\n';
  expect(await printedBy(back, '--update', '--dry-run')).toMatch(counts);
});

test(
  'tickets of an event that was imported a moment ago, of which PostgreSQL knows nothing yet, are corrected soon',
  { timeout: 60_000 },
  async () => {
    const { admin } = tool.database;
    const lines = (isValid: number): string[] =>
      Array.from({ length: 20_000 }, (_, index) => `t${index},${isValid},0,4`);
    await run(importTickets, csv(...lines(1).slice(0, 3_000)), '--event', 'e'.repeat(32));
    await admin.unsafe('alter table tickets set (autovacuum_enabled = off); analyze tickets');
    try {
      await run(importTickets, csv(...lines(1)));
      expect(await printedBy(csv(...lines(0)), '--update')).toMatch(
        '20000 already there, different: corrected',
      );
    } finally {
      await admin.unsafe('alter table tickets reset (autovacuum_enabled)');
    }
  },
);

test('of tickets that keep their sector, that of the file is not said to be unknown', async () => {
  await run(importTickets, csv('a,1,0,4', 'b,1,0,XX'));
  const path = csv('a,1,0,YY', 'b,1,0,XX', 'c,1,0,XX');
  for (const [options, named] of [
    [['--dry-run'], '2 tickets name'],
    [[], '2 tickets name'],
    [['--update', '--dry-run'], '3 tickets name'],
    [['--update'], '3 tickets name'],
  ] as const) {
    const before = tool.stderr.length;
    await run(importTickets, path, ...options);
    expect(tool.stderr.slice(before)).toMatch(`${named} a sector that the board does not know`);
  }
});

test('what the file has no column for is a default for new tickets, and stays as it is in others', async () => {
  await run(importTickets, csv(...FOUR));
  const path = file('setor;id\n4;a\n4;b\n8;c\n9;d\n7;e\n');
  expect(await printedBy(path, '--update')).toBe(
    '1 inserted\n3 already there, the same\n1 already there, different: corrected\n' +
      '0 already there, different in entrou alone: not changed\n',
  );
  expect(await tickets()).toEqual([...FOUR_STORED.toSpliced(2, 1, 'event|c|f|f|8'), 'event|e|t|f|7']);
  expect(tool.stderr).toMatch('Read with semicolons between the columns.\n');
  expect(tool.stderr).toMatch('No column isValidTicket: tickets that are new are valid.\n');
  expect(tool.stderr).toMatch('No column entrou: tickets that are new have not entered.\n');
});

test('--cancel-missing marks what is not in the file as not valid, and changes nothing else', async () => {
  await run(importTickets, csv(...FOUR));
  await run(importTickets, csv('x,1,0,4'), '--event', 'b'.repeat(32));
  expect(await printedBy(csv('a,1,0,9'), '--cancel-missing', '--cancel-at-most', '2', '--yes')).toBe(
    '0 inserted\n0 already there, the same\n1 already there, different: not changed (--update corrects all but entrou)\n' +
      '2 not in the file: marked as not valid\n',
  );
  const cancelled = ['event|a|t|f|4', 'event|b|f|t|4', 'event|c|f|f|9', 'event|d|f|f|9'];
  expect((await tickets()).toSorted()).toEqual([`${'b'.repeat(32)}|x|t|f|4`, ...cancelled]);
});

test.each([
  ['has none of the tickets', ['x,1,0,4'], /would cancel every valid ticket of the event \(3\)/],
  ['is empty', [], /The file has no ticket/],
])('--cancel-missing with a file that %s is refused', async (_name, lines, why) => {
  await run(importTickets, csv(...FOUR));
  await expect(run(importTickets, csv(...lines), '--cancel-missing', '--yes')).rejects.toThrow(why);
  await expect(run(importTickets, csv(...lines), '--cancel-missing', '--dry-run')).rejects.toThrow(why);
  expect(await tickets()).toEqual(FOUR_STORED);
});

test('--cancel-missing needs --yes where nobody can be asked', async () => {
  await expect(run(importTickets, csv('a,1,0,4'), '--cancel-missing')).rejects.toThrow(/needs --yes/);
});

test.each([
  ['s', 's\n', 0, ['event|a|t|f|4', 'event|b|f|t|4', 'event|c|f|f|9', 'event|d|t|f|9', 'event|e|t|f|4']],
  ...(IS_FULL
    ? ([
        ['n', 'n\n', 1, FOUR_STORED],
        ['Ctrl-C', '\u0003', 130, FOUR_STORED],
      ] as const)
    : []),
] as const)(
  'on a terminal, tickets are asked for before they are cancelled: %s',
  async (_name, answer, code, after) => {
    await run(importTickets, csv(...FOUR));
    const path = csv('a,1,0,4', 'd,1,0,9', 'e,1,0,4');
    const terminal = sitAtTerminal(tool, 'import', path, '--cancel-missing', '--cancel-at-most', '1');
    const question = `Mark as not valid: 1 tickets that are not in ${path}, 1 of which have entered, event ${DEFAULT_EVENT_ID}? [y/N]`;
    await until(() => expect(terminal.shown()).toContain(question), 30_000);
    expect(await tickets()).toEqual(FOUR_STORED);
    // Nothing that a board which connects would have to wait for.
    const [open] = await tool.database.admin`
    select from pg_stat_activity where datname = current_database() and backend_xid is not null`;
    expect(open).toBeUndefined();
    terminal.type(answer);
    expect(await terminal.ended, terminal.shown()).toBe(code);
    expect(await tickets()).toEqual(after);
  },
);

test('all that is asked for is done in one commit, or none of it', async () => {
  await run(importTickets, csv(...FOUR));
  const path = csv('a,1,0,8', 'e,1,0,4');
  await tool.database.admin.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'the books are closed'; end $$;
    create constraint trigger refuse after update on tickets deferrable initially deferred for each row
      when (old.is_valid_ticket and not new.is_valid_ticket) execute function refuse()`);
  const options = ['--update', '--cancel-missing', '--cancel-at-most', '2', '--yes'];
  await expect(run(importTickets, path, ...options)).rejects.toThrow(
    /the books are closed\. Nothing was imported\.$/,
  );
  expect(await tickets()).toEqual(FOUR_STORED);
  await tool.database.admin.unsafe('drop function refuse cascade');
  expect(await printedBy(path, ...options)).toBe(
    '1 inserted\n0 already there, the same\n1 already there, different: corrected\n' +
      '0 already there, different in entrou alone: not changed\n2 not in the file: marked as not valid\n',
  );
});

test('--dry-run prints all changes and makes none, while another session locks all it can', async () => {
  await run(importTickets, csv(...FOUR));
  const path = csv('a,1,0,8', 'b,1,0,4', 'd,1,0,9', 'e,1,0,XX');
  const { gates } = tool.database;
  const other = await gates.reserve();
  await other`begin`;
  // All but reading conflicts with it.
  await other`lock table tickets in exclusive mode`;
  const printed = await printedBy(path, '--update', '--cancel-missing', '--dry-run');
  await other`rollback`;
  other.release();
  expect(printed).toBe(
    '1 would be inserted\n1 already there, the same\n1 already there, different: would be corrected\n' +
      '1 already there, different in entrou alone: not changed\n0 not in the file: would be marked as not valid\n' +
      'Nothing was changed (--dry-run).\n',
  );
  expect(tool.stderr).toMatch('1 ticket names a sector that the board does not know');
  expect(await tickets()).toEqual(FOUR_STORED);
  expect(await printedBy(path, '--dry-run')).toMatch(
    '2 already there, different: not changed (--update corrects all but entrou)\nNothing was changed',
  );
});

test('--dry-run reports bad lines beside all else, and that they stop the import', async () => {
  await run(importTickets, csv('x,1,0,4'));
  const before = tool.stdout.length;
  const path = csv('a,maybe,0,4', ',1,0,4', 'b,1,0,XX', 'b,1,0,XX', 'x,1,0,8');
  expect(await run(importTickets, path, '--dry-run', '--update', '--cancel-missing')).toBe(1);
  expect(tool.stdout.slice(before)).toBe(
    '1 would be inserted\n0 already there, the same\n1 already there, different: would be corrected\n' +
      '0 already there, different in entrou alone: not changed\n' +
      'tickets that are not in the file are not counted: a bad line may be one of them\n' +
      '1 more line with the id and values of another\n' +
      '2 bad lines: nothing would be imported. "import --rejects FILE" imports the others, and writes these to FILE.\n' +
      'Nothing was changed (--dry-run).\n',
  );
  expect(tool.stderr).toMatch(
    /\nLine 2 is bad: .*\nLine 3 is bad: .*\n1 line has "maybe" .*--word.*\n1 ticket names a sector/,
  );
  expect(await tickets()).toEqual(['event|x|t|f|4']);
});

test('bad lines and ids with different values are listed together, in the order of their lines, up to 1,000', async () => {
  const same = Array.from({ length: 300 }, () => 'a,1,0,4');
  const bad = Array.from({ length: 1_010 }, (_, n) => `x${n},maybe,0,4`);
  const lines = ['a,1,0,4', 'b,1,0,4', 'x,maybe,0,4', 'b,1,0,9', ...same, ...bad];
  const failure = await run(importTickets, csv(...lines)).catch((error: unknown) => String(error));
  const rows = String(failure).split('\n');
  expect(rows[0]).toMatch('Line 3 is bad: the id "b" has other values in line 5.');
  expect(rows[1]).toMatch('Line 4 is bad: its isValidTicket is "maybe"');
  expect(rows[2]).toMatch('Line 5 is bad: the id "b" has other values in line 3.');
  expect(rows[3]).toMatch('Line 306 is bad: its isValidTicket is "maybe"');
  expect(rows.slice(1_000)).toEqual([
    '13 more lines are bad.',
    '1011 lines have "maybe" in the column "isValidTicket" (isValidTicket). Say what it means: --word "isValidTicket:maybe=sim", or =não.',
    '"import --rejects FILE" imports the others, and writes these to FILE.',
    'Nothing was imported.',
  ]);
});

test('lines that repeat others are counted, and their ticket once', async () => {
  const path = csv('a,1,0,XX', 'b,1,0,9', 'a,1,0,XX', 'a,1,0,XX');
  const printed = '2 inserted\n0 already there, the same\n0 already there, different: not changed\n';
  expect(await printedBy(path)).toBe(`${printed}2 more lines with the ids and values of another\n`);
  expect(tool.stderr).toMatch('1 ticket names a sector that the board does not know');
  expect(await tickets()).toEqual(['event|a|t|f|XX', 'event|b|t|f|9']);
});

test('--rejects imports what is good, and writes the rest as it came, to be mended and imported', async () => {
  const rejects = join(tool.folder, 'rejects.csv');
  const content =
    'sep=;\r\nid;setor;nome\r\na;4;"José\r\nda Silva"\r\n"b;4;x\r\nc;;y\r\nd;4;z\r\nd;9;z\r\ne;9;w\r\nf\r\n';
  const path = file(Buffer.from(content, 'latin1'));
  await expect(run(importTickets, path, '--rejects', rejects)).rejects.toThrow(/--rejects needs --yes/);
  await expect(run(importTickets, path, '--rejects', rejects, '--cancel-missing')).rejects.toThrow(/exclude/);
  expect(await printedBy(path, '--rejects', rejects, '--dry-run')).toMatch(
    `5 bad lines would be written to ${rejects}\nNothing was changed`,
  );
  expect(existsSync(rejects)).toBe(false);
  const named =
    'Line 5 is bad: a quote is opened and not closed.\nLine 6 is bad: its setor is empty.\n' +
    'Line 7 is bad: the id "d" has other values in line 8.\n';
  expect(tool.stderr).toContain(`${named}Line 8 is bad: the id "d" has other values in line 7.\n`);
  expect(await printedBy(path, '--rejects', rejects, '--yes')).toBe(
    '2 inserted\n0 already there, the same\n0 already there, different: not changed\n' +
      `5 bad lines written to ${rejects}\n`,
  );
  // As before the question.
  expect(tool.stderr).toContain(`${named}2 more lines are bad.\n`);
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|e|t|f|9']);
  const written = readFileSync(rejects, 'utf8');
  expect(written.split('\r\n')).toEqual([
    '\uFEFFsep=;',
    'id;setor;nome;reason',
    '"b;4;x;"line 5: a quote is opened and not closed"',
    'c;;y;"line 6: its setor is empty"',
    'd;4;z;"line 7: the id ""d"" has other values in line 8"',
    'd;9;z;"line 8: the id ""d"" has other values in line 7"',
    'f;;;"line 10: it has 1 columns, and the header 3"',
    '',
  ]);
  const again = join(tool.folder, 'again.csv');
  // As a spreadsheet program saves it: quotes stand only where they must.
  const saved = written.replace(/"(line 10: [^"]*)"/, '$1');
  await run(importTickets, file(saved), '--rejects', again, '--yes');
  expect(readFileSync(again, 'utf8')).toMatch(
    /^\uFEFFsep=;\r\nid;setor;nome;reason\r\n"b;4;x;"line 3: [^;\r]*"\r\nc;;y;"line 4: its setor is empty"\r\n[^]*\nf;;;"line 7: its setor is empty"\r\n$/,
  );
  const reported = tool.stderr.length;
  await expect(run(importTickets, path, '--rejects', rejects, '--yes')).rejects.toThrow(/is there already/);
  // Before the file was read, and before the database was looked for.
  expect(tool.stderr.slice(reported)).toBe('');
  const mended = written
    .replace('"b;', 'b;')
    .replace('c;;', 'c;8;')
    .replace(/d;9.*\r\n/, '')
    .replace('f;;', 'f;4;');
  expect(await printedBy(file(mended))).toMatch(/^4 inserted\n/);
  expect(await tickets()).toHaveLength(6);
});

test('--rejects leaves no file where nothing is imported', async () => {
  const rejects = join(tool.folder, 'never.csv');
  await tool.database.admin.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'the books are closed'; end $$;
    create trigger refuse before insert on tickets for each row execute function refuse()`);
  const importing = run(importTickets, csv('a,1,0,4', ',1,0,4'), '--rejects', rejects, '--yes');
  await expect(importing).rejects.toThrow(/the books are closed/);
  await tool.database.admin.unsafe('drop function refuse cascade');
  expect(readdirSync(tool.folder).filter((name) => name.startsWith('never'))).toEqual([]);
});

test('--update needs no column of what stays as it is', async () => {
  await run(importTickets, csv(...FOUR));
  const path = file('id;valido\na;não\nx;não\n');
  expect(await printedWith(1, path, '--update', '--dry-run')).toMatch(/^1 not there, and not added/m);
  expect(await printedWith(1, path, '--update')).toBe(
    '0 inserted\n0 already there, the same\n1 already there, different: corrected (1 no longer valid)\n' +
      '0 already there, different in entrou alone: not changed\n' +
      '1 not there, and not added, as the file has no column setor: "x"\n',
  );
  expect(await tickets()).toEqual(FOUR_STORED.toSpliced(0, 1, 'event|a|f|f|4'));
  expect(await printedBy(file('id;valido\na;não\n'), '--update')).toMatch(/^1 already there, the same/m);
  await expect(run(importTickets, file('id\na\n'), '--update')).rejects.toThrow(
    /the header must name id and isValidTicket or setor, .* A list of ids alone can be cancelled: "gates -- cancel FILE"/,
  );
  for (const [line, why] of [
    ['A-1', 'there is no column for isValidTicket or setor'],
    ['4', '"4" is the code of a sector'],
  ])
    await expect(run(importTickets, file(`${line}\n`), '--update')).rejects.toThrow(
      new RegExp(
        `${why}.* as "id,isValidTicket"\\. A list of ids alone can be cancelled: "gates -- cancel FILE"`,
      ),
    );
});

test('--cancel-missing refuses more than --cancel-at-most, --dry-run too', async () => {
  await run(importTickets, csv(...MANY.map((id) => `${id},1,0,4`)));
  const path = csv(...MANY.slice(41).map((id) => `${id},1,0,4`));
  for (const option of ['--yes', '--dry-run']) {
    await expect(run(importTickets, path, '--cancel-missing', option)).rejects.toThrow(
      '--cancel-missing would cancel 41 of 400 valid tickets (10.3 %), and 10% is the most: is the file whole?',
    );
  }
  const atMost = (limit: string) =>
    run(importTickets, path, '--cancel-missing', '--dry-run', '--cancel-at-most', limit);
  for (const limit of ['40', '10%']) await expect(atMost(limit)).rejects.toThrow(/is the most/);
  for (const limit of ['41', '11%']) await expect(atMost(limit)).resolves.toBe(0);
  await expect(run(importTickets, path, '--cancel-at-most', '5')).rejects.toThrow(/needs --cancel-missing/);
});

test('sectors with more valid tickets than they are permitted are named before and after they are written', async () => {
  const full = Array.from({ length: 761 }, (_, n) => `t${n},1,0,99`);
  const path = csv(...full, 'x,0,0,99');
  const named = 'OESTE LOUNGE BRAHMA has 761 valid tickets, and room for 760';
  // Nobody has permitted a number: the default venue has seats.
  await run(importTickets, path, '--dry-run');
  expect(tool.stderr).not.toMatch('room for');
  await tool.database.gates`insert into sectors values (${DEFAULT_EVENT_ID}, '99', '{"capacity": 760}')`;
  await run(importTickets, path, '--dry-run');
  expect(tool.stderr.split('\n').at(-2)).toMatch(named);
  await run(importTickets, path);
  expect(tool.stderr.split('\n').at(-2)).toMatch(named);
  await run(showEvent);
  expect(tool.stdout).toMatch(named);
  await tool.database.gates`update sectors set data = '{"capacity": 800}'`;
  const before = tool.stderr.length;
  await run(importTickets, path);
  expect(tool.stderr.slice(before)).not.toMatch('room for');
});

test('sectors that the venue does not know are listed with their counts', async () => {
  const venueFile = join(tool.folder, 'venue.json');
  writeFileSync(
    venueFile,
    '{"name": "X", "sectors": [{"code": "N", "name": "NORTE", "codes": ["N1", "N2"]}]}',
  );
  const lines = Array.from(
    { length: 60 },
    (_, index) => `t${index},1,0,${index < 30 ? 'N1' : `S${index % 25}`}`,
  );
  const path = csv(...lines, 'x,1,0,4', 'y,1,0,4', 'z,1,0,4');
  const env = { GATES_DATABASE_URL: tool.database.gatesUrl, VENUE_FILE: venueFile };
  expect(await importTickets.run([path, '--dry-run'], env)).toBe(0);
  const listed = tool.stderr.split('\n').slice(-25);
  expect(listed[1]).toBe('33 tickets name a sector that the board does not know: counted in its total only.');
  expect(listed[2]).toBe('  "4": 3');
  expect(listed[3]).toBe('  "S5": 2');
  expect(listed[22]).toBe('  and 6 in 6 more');
  expect(listed[23]).toMatch(
    /^Correct them with "import --update", or add them to .* VENUE_FILE \(where none is set, /,
  );
  await expect(importTickets.run([path], { ...env, VENUE_FILE: path })).rejects.toThrow(
    /is no venue:\n.*not JSON/,
  );
});

test('an export of Excel in Brazil, as it is', async () => {
  const text =
    'sep=;\r\nSetor do ingresso;Nome;Código;Válido?;Já entrou\r\nNÍVEL 1;João;"A;1";Sim;Não\r\n4;Zé;B;NÃO;s\r\n;;;;\r\n';
  await run(importTickets, file(Buffer.from(text, 'latin1')));
  expect(await tickets()).toEqual(['event|A;1|t|f|NÍVEL 1', 'event|B|f|t|4']);
  expect(tool.stderr).toMatch('Read with semicolons between the columns.\n');
  expect(tool.stderr).toMatch(
    'Columns: id is "Código", isValidTicket is "Válido?", entrou is "Já entrou", setor is "Setor do ingresso".',
  );
  expect(tool.stderr).toMatch('Not used: "Nome".\n');
  expect(tool.stderr).toMatch('Read as Windows-1252.\n');
});

test('gates mark tickets, many at a time and in any order, while their sectors are corrected again and again', async () => {
  await run(importTickets, csv(...MANY.map((id) => `${id},1,0,4`)));
  const { gates } = tool.database;
  const stop = new AbortController();
  const marked = new Map<string, boolean>();
  // Each gate has tickets of its own, so that it knows what they must be; and marks those of one commit in any order.
  const work = async (own: readonly string[]): Promise<number> => {
    let commits = 0;
    while (!stop.signal.aborted) {
      const chosen = own.toSorted(() => Math.random() - 0.5).slice(0, 3);
      const isEntry = Math.random() < 0.7;
      await gates.begin(async (sql) => {
        for (const id of chosen) await mark(sql, id, isEntry);
      });
      for (const id of chosen) marked.set(id, isEntry);
      commits += 1;
      await pause(20);
    }
    return commits;
  };
  const crew = [0, 1, 2, 3].map((gate) => work(MANY.filter((_, index) => index % 4 === gate)));
  try {
    for (let round = 0; round < 6; round++) {
      const sector = round % 2 === 0 ? '8' : '9';
      // Before, and never after: an import that wrote `entrou` would take entries back.
      await run(
        importTickets,
        csv(...MANY.map((id) => `${id},${round % 3 === 0 ? 0 : 1},0,${sector}`)),
        '--update',
      );
    }
  } finally {
    stop.abort();
  }
  const commits = await Promise.all(crew);
  expect(Math.min(...commits)).toBeGreaterThan(0);
  const expected = MANY.map((id) => `event|${id}|t|${marked.get(id) === true ? 't' : 'f'}|9`);
  expect((await tickets()).toSorted()).toEqual(expected.toSorted());
});

async function mark(sql: postgres.ISql, id: string, isEntry: boolean): Promise<void> {
  await sql`update tickets set entrou = ${isEntry} where event_id = ${DEFAULT_EVENT_ID} and id = ${id}`;
}

test('an import waits for a gate that holds a ticket, and holds up no other meanwhile', async () => {
  await run(importTickets, csv(...FOUR));
  const { gates } = tool.database;
  const holder = await gates.reserve();
  await holder`begin`;
  await mark(holder, 'd', true);
  const importing = run(importTickets, csv('a,1,0,8', 'b,1,0,8', 'd,1,0,8'), '--update');
  await until(() => expect(tool.stderr).toMatch('3 lines read; inserting...'));
  await pause(500);
  for (let round = 0; round < 20; round++) {
    // What the import holds for a moment, it lets go of.
    await gates.begin(async (sql) => {
      await sql`set local lock_timeout = '2s'`;
      await mark(sql, 'a', round % 2 === 0);
    });
  }
  // In PostgreSQL's eyes a deadlock, if the import waited for "d" with "a" in its hands.
  await mark(holder, 'a', true);
  await holder`commit`;
  holder.release();
  expect(await importing).toBe(0);
  expect(await tickets()).toEqual(['event|a|t|t|8', 'event|b|t|t|8', 'event|c|f|f|9', 'event|d|t|t|8']);
  expect(await entered()).toBe(3);
});

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../testing/durations.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { type Program, runProgram } from '../../testing/server/program.ts';
import { until } from '../../testing/until.ts';
import { enter } from '../simulator/enter.ts';
import { importTickets } from './import.ts';

const tool = useGatesTool();
const { run, file, csv, tickets, entered } = tool;

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
  expect(tool.stdout).toMatch('3 inserted');
});

test('ids with blanks at an end are imported, and named', async () => {
  await run(importTickets, file('id,setor\n"P001   ",4\n" P002",4\nP 003,4\n'));
  expect(tool.stderr).toMatch('2 ids have characters that cannot be seen, as "P001   ": a turnstile');
});

test('ids that differ from others in upper and lower case alone are imported, and named', async () => {
  await run(importTickets, file('id,setor\nA-1,4\nB-1,4\n'));
  expect(tool.stderr).not.toContain('upper and lower case');
  await run(importTickets, file('id,setor\nb-1,4\nC-1,4\nc-1,4\nA-1,4\n'), '--dry-run');
  const named = `3 ids differ from another ticket's in upper and lower case alone, as "b-1" from "B-1": each counts`;
  expect(tool.stderr).toContain(named);
  await run(importTickets, file('id,setor\nb-1,4\nC-1,4\nc-1,4\nA-1,4\n'));
  expect(tool.stderr.split(named)).toHaveLength(3);
});

test('where the table takes each ID once, one of another event is refused by its name, in a dry run, too', async () => {
  const { admin } = tool.database;
  await run(importTickets, file('id,setor\na,4\n'), '--event', 'e'.repeat(32));
  await admin`create unique index one_id on tickets (id)`;
  try {
    for (const dryRun of [['--dry-run'], []])
      await expect(run(importTickets, file('id,setor\nb,4\na,4\n'), ...dryRun)).rejects.toThrow(
        `The table "tickets" takes each ID once, and "a" is that of a ticket of the event ${'e'.repeat(32)}: give`,
      );
    await run(importTickets, file('id,setor\nb,4\n'));
  } finally {
    await admin`drop index one_id`;
  }
});

test('a file with nothing below its header is said to have no ticket', async () => {
  expect(await run(importTickets, file('id,setor\n'))).toBe(1);
  expect(tool.stdout).toMatch(/^The file has no ticket: is the export whole\?\n0 inserted\n/);
});

test.each(['a\u0007', 'a\u0085', 'a\u00A0b', 'a\u200Bb', '\uFEFFa', 'a\nb', 'a\tb', 'a\u2028b'])(
  'ids with characters that cannot be seen, as %j, are imported, and one is printed so that they can',
  async (id) => {
    await run(importTickets, file(`id,setor\n"${id}",4\n"${id}x",4\nã b,4\n`));
    const [, count, example = ''] =
      /^(\d) ids have characters that cannot be seen, as "([!-~]+)": a turnstile/m.exec(tool.stderr) ?? [];
    expect(count).toBe('2');
    expect(
      JSON.parse(
        `"${example.replaceAll(/\\u\{(\w+)\}/g, (_all, code: string) => `\\u${code.padStart(4, '0')}`)}"`,
      ),
    ).toBe(id);
    expect(await tickets()).toHaveLength(3);
  },
);

test('lines that end in two ways in one file leave nothing of their ends in a value', async () => {
  await run(importTickets, file('id,isValidTicket,entrou,setor\na,true,false,4\r\nb,true,false,8\n'));
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|f|8']);
});

test('importing again in mid-match undoes no admission and counts what differs', async () => {
  const path = csv('a,true,false,4', 'b,true,false,4', 'c,true,false,4');
  await run(importTickets, '--dry-run', path);
  expect(tool.stderr).toMatch(/^The event \w{32} is not there: it would be made\. "event list" lists/m);
  await run(importTickets, path);
  const made = /^The event (\w{32}) was not there before: it is made\. If .* "event delete --event \1"/m;
  expect(tool.stderr).toMatch(made);
  const stderrBefore = tool.stderr.length;
  await run(enter, '--count', '2');
  await tool.database.gates`delete from tickets where id = 'c'`;
  const before = await entered();
  const printedBefore = tool.stdout.length;
  expect(await run(importTickets, path)).toBe(0);
  expect(tool.stderr.slice(stderrBefore)).not.toMatch(made);
  expect(await entered()).toBe(before);
  const hint = before > 0 ? ' (--update corrects all but entrou)' : '';
  expect(tool.stdout.slice(printedBefore)).toBe(
    `1 inserted\n${2 - before} already there, the same\n${before} already there, different: not changed${hint}\n`,
  );
});

test.each([
  ['a missing column', 'x,true,true', 3],
  ['a bad boolean', 'x,yes,true,4', 3],
  ['an id that was there before with other values', 'good,true,true,9', 2],
  ['a quote that is not closed', '"x,true,true,4', 3],
  ['a bad line before one that cannot be read', 'x,yes,true,4\n"x,1,1,4', 3],
  ['a bad line after a value over two lines', '"x\ny",true,true,4\nz,maybe,true,4', 5],
])('%s stops the import at its line, and nothing is imported', async (_what, line, number) => {
  await expect(run(importTickets, csv('good,true,true,4', line))).rejects.toThrow(`Line ${number} is bad`);
  expect(await tickets()).toEqual([]);
});

test('bytes that are not UTF-8 stop the import with --encoding utf-8', async () => {
  const bytes = Buffer.from('id,setor\né,4\n', 'latin1');
  await expect(run(importTickets, file(bytes), '--encoding', 'utf-8')).rejects.toThrow(
    'Line 2 is bad: it is not UTF-8',
  );
});

test.each([
  ['', 'the file is empty'],
  [
    'a,b,c\n',
    'the header must name id and setor, and may name isValidTicket and entrou; there is no column for id; ' +
      'there is no column for setor. Read with commas between the columns, it has "a", "b", "c". Is line 1 a ticket ' +
      'itself? Then put a header above it, as "id,setor,…". Else say which is which: --column id="NAME" --column setor="NAME". ',
  ],
  ['a;CAD;Sim\n', 'this file has no header, as "Sim" means yes or no: put one above, as "id;setor;…". '],
  ['a,4\n', 'this file has no header, as "4" is the code of a sector: put one above, as "id,setor". '],
  [
    'id;entrou;Portão\n',
    'there is no column for setor. Read with semicolons between the columns, it has "id", "entrou", "Portão"',
  ],
  [
    'Ingressos da "final", 26/03/2025\r\n\r\nCódigo;Setor\r\na;4\r\n',
    'it is no header, and line 3 is one: remove the lines above that.',
  ],
  ['id,setor,Setor\n', 'setor could be "setor" or "Setor"'],
  ['id,setor,setor\n', 'several columns are named "setor": rename all but one in the file'],
])('a file that begins with %j is refused for its header', async (text, why) => {
  await expect(run(importTickets, file(text))).rejects.toThrow(/^Line 1 is bad: .*Nothing was imported\.$/);
  await expect(run(importTickets, file(text))).rejects.toThrow(why);
});

test.each([
  ['a code that the venue knows', 'a;99;b', ['id=a', 'setor=99'], '"99" is the code of a sector'],
  ['a word', 'a;CAD;sim', ['id=a', 'setor=CAD'], '"sim" means yes or no'],
  ['a sector of the lines below', 'a;CAD;x', ['id=a', 'setor=CAD'], '"CAD" is a sector of the lines below'],
  ['a ticket that is there', 'there;CAR;x', ['id=there', 'setor=CAR'], '"there" is a ticket of the event'],
])('%s is not taken for the name of a column that was given', async (_what, line, names, why) => {
  await run(importTickets, csv('there,1,0,4'));
  const options = names.flatMap((name) => ['--column', name]);
  await expect(run(importTickets, file(`${line}\nc;CAD;x\n`), ...options)).rejects.toThrow(
    `Line 1 is bad: this file has no header, as ${why}: put one above, as "id;setor;…". Nothing was imported.`,
  );
  expect(await tickets()).toEqual(['event|there|t|f|4']);
});

test('a short import prints no progress', async () => {
  await run(importTickets, csv(...Array.from({ length: 2_500 }, (_, index) => `t${index},1,0,4`)));
  expect(tool.stderr).toMatch(/\n2500 lines read; inserting\.\.\.\n/);
  expect(tool.stderr).not.toMatch('%');
});

test('100,000 tickets arrive, exactly', async () => {
  const path = csv(...Array.from({ length: 100_000 }, (_, index) => `t${index},1,${index % 2},4`));
  await run(importTickets, path);
  expect(await entered()).toBe(50_000);
});

async function execute(statements: string): Promise<void> {
  await tool.database.admin.unsafe(statements);
}

/** A trigger that does this when tickets are inserted, or when that is committed. */
async function withTrigger(
  when: 'insert' | 'commit',
  action: string,
  work: () => Promise<void>,
): Promise<void> {
  // As its owner, whom nothing is forbidden.
  await execute(`
    create function interfere() returns trigger language plpgsql security definer as $$
      begin ${action}; return null; end $$;
    create constraint trigger interfere after insert on tickets
      ${when === 'commit' ? 'deferrable initially deferred' : ''} for each row execute function interfere()`);
  await work();
  await execute('drop function interfere cascade');
}

test('nothing is reported as imported before the commit: a commit that fails', async () => {
  await withTrigger('commit', `raise 'the books are closed'`, async () => {
    await expect(run(importTickets, csv('a,1,0,4'))).rejects.toThrow(
      /refused this: the books are closed\. Nothing was imported\.$/,
    );
  });
  expect(tool.stdout).toBe('');
  expect(await tickets()).toEqual([]);
});

const HANG_UP = 'perform pg_terminate_backend(pg_backend_pid())';

test('a connection that is lost before the commit: nothing was imported, and nothing breaks', async () => {
  await withTrigger('insert', HANG_UP, async () => {
    await expect(run(importTickets, csv('a,1,0,4'))).rejects.toThrow(/Nothing was imported\.$/);
  });
  expect(tool.stdout).toBe('');
});

test('a connection that is lost during the commit: the message leaves the outcome open', async () => {
  await withTrigger('commit', HANG_UP, async () => {
    await expect(run(importTickets, csv('a,1,0,4'))).rejects.toThrow(
      /Whether the commit was made is not known: look before/,
    );
  });
  expect(tool.stdout).toBe('');
});

/** The tool in a process of its own; `input` is a command whose output it has as standard input. */
function runImport(path: string, input?: string): Program {
  const env = { GATES_DATABASE_URL: tool.database.gatesUrl };
  return runProgram('gates', ['import', path], env, input ? ['sh', '-c', `${input} | "$0" "$@"`] : []);
}

test('Ctrl-C while tickets are inserted rolls back, and reports it', async () => {
  const path = csv(...Array.from({ length: 20_000 }, (_, index) => `t${index},1,0,4`));
  const { gates } = tool.database;
  const other = await gates.reserve();
  await other`begin`;
  await other`lock table tickets in share row exclusive mode`;
  const program = runImport(path);
  await until(async () => {
    const [waiting] = await gates`
      select from pg_stat_activity where datname = current_database() and application_name = 'triagem gates'
        and wait_event_type = 'Lock'`;
    expect(waiting, program.stderr()).toBeDefined();
  }, 30_000);
  // As npm does: once from the terminal, once passed on.
  program.child.kill('SIGINT');
  program.child.kill('SIGINT');
  expect(await program.ended).toBe(130);
  expect(program.stderr()).toMatch(/inserting\.\.\.\nStopped\. Nothing was imported\.\n$/);
  expect(program.stdout()).toBe('');
  await other`rollback`;
  other.release();
  expect(await tickets()).toEqual([]);
});

/** An import that reads a pipe, of which this much has come. */
async function importFromPipe(...parts: (string | Buffer)[]) {
  const path = join(tool.folder, 'pipe');
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  const program = runImport(path);
  const pipe = await open(path, 'w');
  for (const part of parts) await pipe.write(Buffer.from(part));
  return { program, pipe };
}

test('a pipe is read as it comes, its byte order mark in two parts', async () => {
  const mark = [Buffer.from([0xef, 0xbb]), Buffer.from([0xbf])];
  const { program, pipe } = await importFromPipe(...mark, 'id,isValidTicket,entrou,setor\na,1', ',0,4\n');
  await pipe.close();
  expect(await program.ended, program.stderr()).toBe(0);
  expect(await tickets()).toEqual(['event|a|t|f|4']);
});

test('Ctrl-C while a pipe is silent rolls back', async () => {
  const { program, pipe } = await importFromPipe('id,isValidTicket,entrou,setor\na,1,0,4\n');
  await until(async () => {
    const [reading] = await tool.database.gates`
      select from pg_stat_activity where datname = current_database() and application_name = 'triagem gates'
        and query like 'copy incoming%' and wait_event = 'ClientRead'`;
    expect(reading, program.stderr()).toBeDefined();
  }, 30_000);
  program.child.kill('SIGINT');
  expect(await program.ended).toBe(130);
  expect(program.stderr()).toMatch(/\nStopped\. Nothing was imported\.\n$/);
  await pipe.close();
  expect(await tickets()).toEqual([]);
});

test.each(IS_FULL ? ['-', '/dev/stdin'] : ['-'])('"%s" is standard input', async (path) => {
  const program = runImport(path, `cat ${csv('a,1,0,4')}`);
  expect(await program.ended, program.stderr()).toBe(0);
  expect(program.stdout()).toMatch('1 inserted');
});

test('a path is relative to the folder in which npm was called, which a message names', async () => {
  tool.csv('a,1,0,4');
  const env = {
    GATES_DATABASE_URL: tool.database.gatesUrl,
    npm_lifecycle_event: 'gates',
    INIT_CWD: join(tool.folder, 'exports'),
  };
  expect(await importTickets.run(['../tickets.csv'], env)).toBe(0);
  const missing = importTickets.run(['x.csv'], env);
  await expect(missing).rejects.toThrow(`${tool.folder}/exports/x.csv cannot be read: ENOENT`);
});

test('folders, missing files and unreadable ones are refused', async () => {
  await expect(run(importTickets, tool.folder)).rejects.toThrow('cannot be read: it is a folder.');
  await expect(run(importTickets, '/none')).rejects.toThrow(/\/none cannot be read: ENOENT/);
  await expect(run(importTickets, '/proc/self/mem')).rejects.toThrow(
    /mem cannot be read: E.*Nothing was imported/,
  );
});

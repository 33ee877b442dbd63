import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../testing/durations.ts';
import { openSession } from '../../database/database-session.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { makeTestDisk } from '../../testing/database/disk.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { startNetwork } from '../../testing/server/network.ts';
import type { Program } from '../../testing/server/program.ts';
import { until } from '../../testing/until.ts';
import { useWatchedFolder } from '../../testing/gates/watched-folder.ts';
import { watch } from './watch.ts';
import { testInFull } from '../../testing/test-in-full.ts';

const tool = useGatesTool();
const { tickets } = tool;
const { path, start, startOver, startWatching, stop, drop, blockReport, read, list, isFiled } =
  useWatchedFolder(tool);

test('files are imported in the order of their names, and moved with a report beside them', async () => {
  mkdirSync(path('a-folder'));
  symlinkSync('/etc/passwd', path('a-link.csv'));
  writeFileSync(path('a-file.csv.part'), 'half');
  writeFileSync(path('.hidden.csv'), 'half');
  const tooLong = `a-${'x'.repeat(195)}.csv`;
  writeFileSync(path(tooLong), 'id;setor\nx;4\n');
  // A ç as of Latin-1.
  writeFileSync(Buffer.from(`${path('a-promo')}\xE7.csv`, 'latin1'), 'id;setor\nx;4\n');
  drop('c.csv', 'a,1,0,8', 'b,1,0,4');
  drop('b.csv', 'x,maybe,0,4', ...Array.from({ length: 11 }, () => ',1,0,4'));
  drop('a.csv', 'a,vale,0,XX');
  const program = await startWatching('--update', '--word', 'isValidTicket:vale=sim');
  await isFiled('done/c.csv', program);
  expect(await tickets()).toEqual(['event|a|t|f|8', 'event|b|t|f|4']);
  expect(list('done')).toEqual(['a.csv', 'a.csv.report.txt', 'c.csv', 'c.csv.report.txt']);
  expect(list('failed')).toEqual(['b.csv', 'b.csv.report.txt']);
  const left = ['.hidden.csv', 'a-file.csv.part', 'a-folder', 'a-link.csv', 'a-promo\uFFFD.csv', tooLong];
  expect(list()).toEqual(left);
  const refused = program.stdout().match(/(?<=Z ).*not taken, as .*/g);
  expect(refused?.toSorted()).toEqual([
    'a-link.csv: not taken, as it is a link, or no file',
    'a-promo\uFFFD.csv: not taken, as its name is not UTF-8: rename it',
    `${tooLong}: not taken, as its name is longer than 200 bytes: give it a shorter one`,
  ]);
  expect(read('done/a.csv.report.txt')).toMatch(
    /^a\.csv, .*, event .*\n1 line read.*\n1 inserted\n[^]*1 ticket names a sector that the board does not know/,
  );
  expect(read('done/c.csv.report.txt')).toMatch('1 already there, different: corrected\n');
  expect(read('failed/b.csv.report.txt')).toMatch(
    /\nLine 2 is bad: .*\n(Line \d+ is bad: .*\n){11}1 line has "maybe" .*--word.*\n.*--rejects.*\nNothing was imported\.\n$/,
  );
  expect(program.stdout()).toMatch(
    /Z a\.csv: 1 line read.*; moved to done\/a\.csv\n[^]*Z b\.csv: .*Line 11 is bad: [^;]*; 2 more lines are bad\.; 1 line has .*moved to failed/,
  );

  drop('a.csv', 'd,1,0,4');
  await until(() => expect(list('done').length).toBe(6), 30_000);
  const later = list('done').filter((name) => /^a_\d{8}-\d{6}\.csv(\.report\.txt)?$/.test(name));
  expect(later).toHaveLength(2);
  // Put back, as after a restore, they are taken in the order in which they came.
  expect(String(later[0]) > 'a.csv').toBe(true);
  await stop(program, 'SIGINT');
});

test('a file that is being written is not taken, nor any behind it', async () => {
  const program = await startWatching();
  const growing = path('a.csv');
  writeFileSync(growing, 'id,isValidTicket,entrou,setor\n');
  drop('b.csv', 'b,1,0,4');
  for (let line = 0; line < 8; line++) {
    appendFileSync(growing, `t${line},1,0,4\n`);
    await pause(200);
    expect(await tickets()).toEqual([]);
  }
  await isFiled('done/b.csv', program);
  expect(read('done/a.csv.report.txt')).toMatch('\n8 inserted\n');
  await stop(program);
});

test('a folder for what is done that is on another file system is refused at the start', async () => {
  const disk = await makeTestDisk({ megabytes: 1 });
  symlinkSync(disk.seenFromOutside, path('done'));
  const program = start();
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(/cannot be watched: its folder "done" is on another file system/);
  expect([list(), list('done')]).toEqual([[], []]);
});

test('one process watches a folder at a time, and one that was killed is in nobody else’s way', async () => {
  const first = await startWatching();
  const second = start();
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toMatch(
    new RegExp(`^Process ${first.child.pid} of this machine watches .* already`, 'm'),
  );
  first.child.kill('SIGKILL');
  await first.ended;
  drop('a.csv', 'a,1,0,4');
  const third = await startWatching();
  await isFiled('done/a.csv', third);
  await stop(third);
});

test('a file is not imported again where the answer to its commit was lost', async () => {
  const { admin, gates } = tool.database;
  await insertTickets(gates, [{ id: 'a', setor: '4' }]);
  const network = await startNetwork(tool.database.gatesUrl);
  // While the commit waits, its answer can be lost.
  await admin.unsafe(`
    create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(7); return new; end $$;
    create constraint trigger wait after insert on tickets deferrable initially deferred
      for each row execute function wait()`);
  const program = await startOver(network.url, '--update');
  const holding = openSession(tool.database.adminUrl, {});
  try {
    await holding.sql`select pg_advisory_lock(7)`;
    drop('a.csv', 'a,1,0,8', 'b,1,0,8');
    const waiting = () => admin`
      select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`;
    await until(async () => expect(await waiting(), program.stdout()).toHaveLength(1), 30_000);
    network.cut();
    await until(() => expect(program.stdout()).toMatch('Whether the commit was made is not known'), 30_000);
  } finally {
    await holding.end();
    await until(async () => expect(await tickets(), program.stdout()).toHaveLength(2));
    await admin`drop function wait cascade`;
  }
  await gates`update tickets set is_valid_ticket = false, setor = '9'`;
  network.restore();
  await isFiled('done/a.csv', program);
  expect(await tickets()).toEqual(['event|a|f|f|9', 'event|b|f|f|9']);
  expect(read('done/a.csv.report.txt')).toMatch(
    /\nImported at .*Z, and not again:\n2 lines read; inserting\.\.\.\n1 inserted\n/,
  );
  await until(async () => expect(await gates`select from watched_files`).toHaveLength(0));
  await stop(program);
});

test('a file that could not be moved is imported again where its event was deleted since', async () => {
  const { gates } = tool.database;
  const program = await startWatching();
  const report = blockReport('a.csv');
  drop('a.csv', 'a,1,0,4');
  await until(() => expect(program.stdout()).toMatch('waiting to move it to done'), 30_000);
  program.child.kill('SIGKILL');
  await program.ended;
  rmSync(report, { recursive: true });
  await gates`delete from tickets`;
  await gates`delete from events`;
  const next = await startWatching();
  await isFiled('done/a.csv', next);
  expect(await tickets()).toEqual(['event|a|t|f|4']);
  await stop(next);
});

testInFull(
  'killed after the commit and before the move, it only moves the file, once the database is there',
  async () => {
    const program = await startWatching();
    const report = blockReport('a.csv');
    drop('a.csv', 'a,1,0,4');
    await until(
      () => expect(program.stdout()).toMatch(/a\.csv: .*1 inserted.*waiting to move it to done/),
      30_000,
    );
    expect(await tickets()).toEqual(['event|a|t|f|4']);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(list()).toEqual(['a.csv']);
    await tool.database.gates`update tickets set is_valid_ticket = false`;
    rmSync(report, { recursive: true });
    await tool.database.allowConnections(false);
    const next = start('--update');
    try {
      await until(() => expect(next.stdout()).toMatch('Waiting: '), 30_000);
    } finally {
      await tool.database.allowConnections(true);
    }
    await isFiled('done/a.csv', next);
    expect(read('done/a.csv.report.txt')).toMatch(/and not again:\n.*\n1 inserted\n/);
    expect(await tickets()).toEqual(['event|a|f|f|4']);
    await stop(next);
  },
);

/** Does `work` while the import of a file, which has been read, waits for the table. */
async function whileImporting(program: Program, name: string, work: () => void): Promise<void> {
  await tool.database.gates.begin(async (other) => {
    await other`lock table tickets in share row exclusive mode`;
    drop(name, 'a,1,0,4');
    await until(() => expect(program.stdout()).toMatch(`${name}: importing`), 30_000);
    await until(async () => {
      const [waiting] = await other`
        select from pg_locks where relation = 'tickets'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      expect(waiting).toBeDefined();
    }, 30_000);
    work();
  });
}

test.each([
  ['by another one', (lines: string) => drop('a.csv', lines)],
  [
    'in place, with its former times,',
    (lines: string) => {
      execFileSync('cp', ['-p', path('a.csv'), path('.former')]);
      writeFileSync(path('a.csv'), `id,isValidTicket,entrou,setor\n${lines}\n`);
      execFileSync('touch', ['-r', path('.former'), path('a.csv')]);
    },
  ],
  ...(IS_FULL
    ? ([
        [
          'in place',
          (lines: string) => writeFileSync(path('a.csv'), `id,isValidTicket,entrou,setor\n${lines}\n`),
        ],
      ] as const)
    : []),
] as const)(
  'a file that is replaced %s while it is imported is imported, too; one that is taken away harms nothing',
  async (_how, replace) => {
    const program = await startWatching();
    // As long as the file before it.
    await whileImporting(program, 'a.csv', () => replace('b,1,0,4'));
    await isFiled('done/a.csv', program);
    expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|t|f|4']);
    expect(program.stdout()).toMatch(
      /a\.csv: .*1 inserted.*; replaced, or written to, before it was moved: it stays/,
    );
    expect(read('done/a.csv')).toMatch(/\nb,1,0,4\n$/);
    const reports = list('done').filter((name) => name.endsWith('.report.txt'));
    expect(reports).toEqual(['a.csv.report.txt', expect.stringMatching(/^a_\d{8}-\d{6}\.csv\.report\.txt$/)]);
    expect(read(`done/${reports[1]}`)).toMatch(/\n1 inserted\n[^]*\nThe file itself is not here: /);
    expect(read('done/a.csv.report.txt')).toMatch(/\n1 inserted\n0 already there, the same\n/);
    await whileImporting(program, 'c.csv', () => rmSync(path('c.csv')));
    await until(() => expect(program.stdout()).toMatch('taken away before it was moved'), 30_000);
    await whileImporting(program, 'e.csv', () => {
      rmSync(path('e.csv'));
      renameSync(path('done'), path('was-done'));
      symlinkSync('/dev/null', path('done'));
    });
    await until(
      () => expect(program.stdout()).toMatch(/e\.csv: .*moved, and its report cannot be written: EEXIST/),
      30_000,
    );
    rmSync(path('done'));
    renameSync(path('was-done'), path('done'));
    drop('d.csv', 'd,1,0,4');
    await isFiled('done/d.csv', program);
    await stop(program);
  },
);

test('--cancel-missing needs --yes, and then cancels', async () => {
  const env = { GATES_DATABASE_URL: tool.database.gatesUrl };
  await expect(watch.run([path('.'), '--cancel-missing'], env)).rejects.toThrow(/needs --yes/);
  await expect(watch.run([path('.'), '--settle', '0'], env)).rejects.toThrow(/--settle is "0"/);
  const program = await startWatching(
    '--cancel-missing',
    '--cancel-at-most',
    '50%',
    '--yes',
    '--column',
    'id=Bilhete',
  );
  drop('a.csv');
  writeFileSync(path('b.csv'), 'Bilhete;setor\na;4\nb;4\n');
  writeFileSync(path('c.csv'), 'Bilhete;setor\na;4\n');
  await isFiled('done/c.csv', program);
  expect(read('failed/a.csv.report.txt')).toMatch('there is no column "Bilhete" for id');
  writeFileSync(path('d.csv'), 'Bilhete;setor\nx;4\ny;4\nz;4\n');
  await isFiled('failed/d.csv', program);
  expect(read('failed/d.csv.report.txt')).toMatch('--cancel-missing would cancel every valid ticket');
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|f|f|4']);
  await stop(program);
});

test.each(['/none', '/etc/passwd'])('%s cannot be watched, and the message reports it', async (folder) => {
  await expect(watch.run([folder], {})).rejects.toThrow(/cannot be watched/);
});

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { childProcesses } from '../../server/database/embedded/process-identity.ts';
import { fillDisk } from '../../testing/disk.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import {
  install,
  type Installation,
  makeDisk,
  makeFolder,
  prepareUsedFolder,
} from '../../testing/installation.ts';
import { recount } from '../../testing/oracle.ts';
import { listenLocally } from '../../testing/port.ts';
import { processesNaming, type Program } from '../../testing/program.ts';
import { openScreen } from '../../testing/screen.ts';
import { signalAll } from '../../testing/signal.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

prepareUsedFolder();

/** What a gate system writes with. */
async function openGates({ gates }: Installation): Promise<postgres.Sql> {
  const sql = postgres((await gates('url')).trim(), { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}

/** The screen of a viewer who comes now equals a recount. */
async function expectExact({ url }: Installation, sql: postgres.Sql): Promise<void> {
  const screen = openScreen(url);
  await until(async () => {
    expect(screen.board.shown?.counts).toEqual(await recount(sql));
    expect(screen.live).toBe(true);
  });
}

async function admit(sql: postgres.Sql, tickets: number): Promise<void> {
  await sql`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, n % 3 = 0, '4'
    from generate_series(1, ${tickets}) n`;
}

async function expectRefused({ child, ended, stderr }: Program, words: RegExp): Promise<void> {
  expect(await ended).toBe(1);
  expect(stderr()).toMatch(words);
  expect(stderr(), 'one clear message, not a stack').not.toMatch(/\n\s+at /);
  expect(child.exitCode).toBe(1);
}

test('a data folder of another running instance: told who holds it, and the other goes on', async () => {
  const first = await install(makeFolder({ isUsed: true }));
  const { child } = await first.start();
  const sql = await openGates(first);
  await admit(sql, 300);
  const second = await install(first.folder);
  const words = new RegExp(`in use by process ${child.pid}, .* port ${first.databasePort}`);
  await expectRefused(second.run(), words);
  await expectExact(first, sql);
});

test('a port that is taken is named, with its setting', async () => {
  const place = await install(makeFolder({ isUsed: true }));
  const other = createServer();
  await listenLocally(other, place.databasePort);
  await expectRefused(place.run(), new RegExp(`Port ${place.databasePort}, .*EMBEDDED_DATABASE_PORT`));
  await new Promise((resolve) => other.close(resolve));
  await place.start();
});

test('a disk that is read-only, before the first start and after it: told, and the next start works', async () => {
  const disk = await makeDisk({ isUsed: false });
  const place = await install(disk.folder, disk);
  await disk.setReadOnly(true);
  await expectRefused(place.run(), /data folder .* is on a read-only file system\. Mount it writable/);
  await disk.setReadOnly(false);
  const first = await place.start();
  await admit(await openGates(place), 300);
  expect(await first.end()).toBe(0);
  await disk.setReadOnly(true);
  await expectRefused(place.run(), /data folder .* is on a read-only file system\. Mount it writable/);
  await disk.setReadOnly(false);
  await place.start();
  await expectExact(place, await openGates(place));
});

test('a disk too small for a database: told, nothing half made is left, and the next start works', async () => {
  const disk = await makeDisk({ isUsed: false });
  const place = await install(disk.folder, disk);
  const filler = fillDisk(disk, 390);
  await expectRefused(place.run(), /disk of the data folder .* is full\. Free some space and start again/);
  expect(readdirSync(disk.seenFromOutside).filter((name) => name.startsWith('cluster'))).toEqual([]);
  rmSync(filler);
  await place.start();
  const sql = await openGates(place);
  await admit(sql, 300);
  await expectExact(place, sql);
});

test('a disk that fills up while gates write: the gates are told, nothing committed is lost, live again with space', async () => {
  const disk = await makeDisk({ isUsed: true });
  const place = await install(disk.folder, disk);
  const program = await place.start();
  const sql = await openGates(place);
  await admit(sql, 3_000);
  await expectExact(place, sql);
  const filler = fillDisk(disk, 400);
  // Each update of all rows needs new pages.
  await until(async () => {
    const update = sql`update tickets set entrou = not entrou`;
    await expect(update).rejects.toThrow(/No space left on device/);
  });
  await until(async () => expect((await readiness(place)).text).toMatch(/disk of .* full/));
  expect(program.stdout()).toMatch(
    /"level":40.*disk of the data folder \S+ is all but full: free some space/,
  );
  // An import says nothing that is not so, and names what is.
  const gates = place.run('gates', ['import', manyTickets()]);
  await expectRefused(
    gates,
    /disk of the database in .* is full: free some space .* Nothing was imported\.\n$/,
  );
  expect(gates.stdout()).toBe('');
  expect(gates.stderr()).not.toMatch(/npm start|DATABASE_URL/);
  // A start now cannot observe: a slot is a file. It says so, once.
  await program.end('SIGKILL');
  const hindered = place.run();
  await until(() => expect(hindered.stdout() + hindered.stderr()).toMatch(/disk .* is full/), 30_000);
  expect(hindered.stdout().match(/disk of the data folder \S+ is full/g)?.length ?? 0).toBeLessThanOrEqual(1);
  rmSync(filler);
  await hindered.end();
  await place.start();
  await expectExact(place, await openGates(place));
});

test('a disk that is full when its server must start again: the log and /readyz name disk and fix, live again with space', async () => {
  const disk = await makeDisk({ isUsed: true });
  const place = await install(disk.folder, disk);
  const program = await place.start();
  await admit(await openGates(place), 300);
  const fillers = [fillDisk(disk, 400)];
  const words =
    /The disk of the data folder \S+ is full: free some space, and the embedded PostgreSQL starts by itself/;
  await until(async () => {
    killServer(disk.seenFromOutside);
    // What its end has let go of, before it can take it again.
    fillers.push(fillDisk(disk, 400));
    expect((await readiness(place)).text).toMatch(words);
  });
  for (const filler of fillers) rmSync(filler);
  await untilReady(place, 30_000);
  await expectExact(place, await openGates(place));
  const logged = program.stdout().trim().split('\n');
  const told = logged.map((line) => JSON.parse(line) as { level: number; msg: string; reason?: string });
  expect(new Set(told.filter(({ msg }) => words.test(msg)).map(({ level }) => level))).toEqual(new Set([50]));
  expect(told.find(({ msg }) => /PostgreSQL is gone/.test(msg))?.level).toBe(40);
  expect(program.stdout() + program.stderr()).not.toMatch(
    /ENOSPC|ECONNREFUSED|DATABASE_URL: start|address of DATABASE_URL/,
  );
});

test('an initdb killed half-way, with its Node: the next start cleans up, and works', async () => {
  const place = await install(makeFolder({ isUsed: false }));
  const program = place.run();
  const halfMade = (): string | undefined =>
    readdirSync(place.folder).find((name) => existsSync(join(place.folder, name, 'pg_wal')));
  await until(() => expect(halfMade()).toMatch(/^cluster\.new-/), 10_000);
  signalAll(processesNaming(place.folder).map(processAt), 'SIGKILL');
  expect(await program.ended).toBe('SIGKILL');
  await place.start();
  expect(readdirSync(place.folder).filter((name) => name.startsWith('cluster'))).toEqual(['cluster']);
  const sql = await openGates(place);
  await admit(sql, 300);
  await expectExact(place, sql);
});

test('its server is killed while one of its processes hangs: it is started again, untouched', async () => {
  const place = await install(makeFolder({ isUsed: true }));
  await place.start();
  await admit(await openGates(place), 300);
  const [postmaster = 0, ...children] = postgresOf(place);
  const hanging = children.find((pid) => /walsender/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) ?? 0;
  process.kill(hanging, 'SIGSTOP');
  process.kill(postmaster, 'SIGKILL');
  await until(async () => expect((await readiness(place)).status).toBe(503));
  await untilReady(place);
  await expectExact(place, await openGates(place));
});

test('it is stopped while every process of its database stands still: the next start works', async () => {
  const place = await install(makeFolder({ isUsed: true }));
  const first = await place.start();
  await admit(await openGates(place), 300);
  signalAll(postgresOf(place), 'SIGSTOP');
  const stopwatch = startStopwatch({ pids: () => [first.child.pid] });
  await first.end();
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  await place.start();
  await expectExact(place, await openGates(place));
});

/** The processes of its PostgreSQL, the first one first. */
function postgresOf({ folder }: Installation): number[] {
  const file = readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8');
  const postmaster = processAt(file);
  return [postmaster, ...childProcesses(postmaster)];
}

/** A file of more tickets than what is left of a full disk has room for. */
function manyTickets(): string {
  const lines = Array.from({ length: 100_000 }, (_, n) => `from-a-file-${n},true,false,4\n`);
  const folder = makeTestFolder({ 'tickets.csv': `id,isValidTicket,entrou,setor\n${lines.join('')}` });
  return join(folder, 'tickets.csv');
}

/** The PostgreSQL that runs in the folder, if one does. */
function killServer(folder: string): void {
  const file = join(folder, 'cluster', 'postmaster.pid');
  if (existsSync(file)) signalAll([processAt(readFileSync(file, 'utf8'))], 'SIGKILL');
}

/** The process at the beginning of a line. */
function processAt(line: string): number {
  return Number.parseInt(line, 10);
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { EMBEDDED_NAMES } from '../../database/embedded/cluster-files.ts';
import { errorCode } from '../../database/setup-error.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { connectTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { fillDisk } from '../../testing/database/disk.ts';
import { duration } from '../../testing/durations.ts';
import { readLogRows } from '../../testing/desk/log-rows.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import {
  expectScreenExact,
  expectRefused,
  install,
  makeDisk,
  openGates,
} from '../../testing/server/installation.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startProgram } from '../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { startGates } from '../../testing/desk/recorded-flow.ts';
import { signalAll } from '../../testing/server/signal.ts';
import { readiness, untilReady } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver } from '../../testing/desk/webhook-receiver.ts';
import {
  expectRecounted,
  readRecordedMinutes,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../flow/expect-recounted.ts';
import { expectKept, startOperators } from '../flow/operators.ts';

/** A minute of the flow is half a second. */
const SPEED = 120;
const FULL_MS = duration(60_000, 2_000);
/** Minutes that are watched before the disk is full, and after it. */
const WATCHED = 6;
const FULL = /disk of .* full/;

const clock = { sinceMs: Date.now(), speed: SPEED };
const flowClock = speedUp(clock.sinceMs, SPEED);
const disk = openForAll(() => makeDisk({ isUsed: true, megabytes: 250 }));
const place = openForAll(() => install(disk.folder, disk));
const receiver = openForAll(() => startWebhookReceiver());
const server = openForAll(startServer);

/** With a desk, and whoever is called for an alarm. */
async function startServer() {
  const script = join(PROJECT_ROOT, 'testing/desk/sped-up-server.mjs');
  const [command, ...args] = [...disk.enter, process.execPath, script];
  const program = startProgram(command, args, {
    env: {
      ...place.settings,
      DESK_KEY,
      ALARM_WEBHOOK_URL: receiver.url,
      ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      FLOW_SPEED: `${SPEED}`,
      FLOW_SINCE_MS: `${clock.sinceMs}`,
    },
  });
  closeOnce(() => program.end());
  await untilReady(place, 60_000);
  return program;
}

/** Leaves nothing free; returns what frees it again. */
function fill(): () => void {
  const filler = fillDisk(disk, 250);
  return () => rmSync(filler, { force: true });
}

test('a disk that is full for a while as gates and operators write: each minute that was watched is recorded, as SQL recounts it; commands are refused, and each is recorded once there is space', async () => {
  const database = connectTestDatabase(EMBEDDED_NAMES.database, await place.databaseUrls());
  const { admin } = database;
  const untilMoreMinutes = async (): Promise<void> => {
    const sinceMs = flowClock(Date.now());
    await untilRecorded(admin, sinceMs + WATCHED * MINUTE_MS);
  };
  const history = await keepTicketHistory(database);
  const gates = startGates(database, async (error) => {
    expect(errorCode(error)).toBe('53100');
    await pause(100);
  });
  const operators = await startOperators([place.url]);
  await until(() => expect(operators.answered.size).toBeGreaterThan(0));
  const watchedFromMs = flowClock(Date.now());
  await untilMoreMinutes();
  // The log has room for what is written meanwhile: without it PostgreSQL ends.
  await admin.unsafe('select pg_switch_wal(); checkpoint');
  const free = fill();
  await until(async () => expect((await readiness(place)).text).toMatch(FULL), 60_000);
  // Pages that are begun still take rows: it is full for the record once no minute has been written for this long.
  await until(async () => {
    const last = (await readRecordedMinutes(admin)).at(-1)?.minuteMs ?? 0;
    expect(flowClock(Date.now()) - last).toBeGreaterThan(FULL_MS * SPEED);
  }, FULL_MS + 60_000);
  await until(() => expect(operators.refused).toBeGreaterThan(0), 60_000);
  const { size } = operators.answered;
  free();
  await untilReady(place, 60_000);
  await until(() => expect(operators.answered.size).toBeGreaterThan(size), 60_000);
  await untilMoreMinutes();
  await operators.stop();
  await gates.stop();
  await untilRecorded(admin, flowClock(Date.now()));

  const told = (message: string): number[] => timesOf(server.stdout(), message).map((at) => flowClock(at));
  const away = told('not observing live').map((fromMs, n) => ({
    fromMs: fromMs - UNWATCHED_BEFORE_MS * SPEED,
    toMs: told('observing again')[n] ?? Number.POSITIVE_INFINITY,
  }));
  const { compared } = await expectRecounted(admin, history, away, clock, watchedFromMs);
  expect(compared).toBeGreaterThan(WATCHED);
  await expectKept(database, operators);
});

test('a disk that is full when its server must start again: the log and /readyz name disk and fix, whoever is called is called; with space it is live again, and has the alarm in its log', async () => {
  const inMinutes = (minutes: number): string =>
    `${new Date(flowClock(Date.now()) + minutes * MINUTE_MS).toISOString().slice(0, 16)}+00:00`;
  const times = ['--gates-open', inMinutes(-30), '--kick-off', inMinutes(1_200)];
  await place.gates('event', 'create', '--id', DEFAULT_EVENT_ID, '--title', 'Palestra × Atlético', ...times);
  const { admin } = connectTestDatabase(EMBEDDED_NAMES.database, await place.databaseUrls());
  // An alarm is judged by the times of the log, and the log cannot be written once the disk is full.
  await until(async () => expect((await readLogRows(admin)).map(({ kind }) => kind)).toContain('times'));
  const sql = await openGates(place);
  await enter(sql, 'again', 300);
  await expectScreenExact(place, sql);
  const since = server.stdout().length;
  const words =
    /The disk of the data folder \S+ is full: free some space, and the embedded PostgreSQL starts by itself/;
  const fillers = [fill()];
  await until(async () => {
    killServer(disk.seenFromOutside);
    // What its end has let go of, before it can take it again.
    fillers.push(fill());
    expect((await readiness(place)).text).toMatch(words);
  }, 60_000);
  const alarms = (): string[] =>
    receiver.received.map(({ body }) => body).filter((body) => body.includes('"rule":"no-data"'));
  await until(() => expect(alarms()).not.toEqual([]), 120_000);
  for (const free of fillers) free();
  await untilReady(place, 60_000);
  await expectScreenExact(place, await openGates(place));

  const { alarm } = (JSON.parse(alarms()[0] ?? '') as { data: { alarm: string } }).data;
  const { admin: again } = connectTestDatabase(EMBEDDED_NAMES.database, await place.databaseUrls());
  await until(async () => expect((await readLogRows(again)).map(({ id }) => id)).toContain(alarm));
  const sent = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(sent).size).toBe(sent.length);
  const logged = server.stdout().slice(since);
  const lines = logged.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(new Set(told.filter(({ msg }) => words.test(msg)).map(({ level }) => level))).toEqual(new Set([50]));
  expect(told.find(({ msg }) => /PostgreSQL is gone/.test(msg))?.level).toBe(40);
  const wrong = /ENOSPC|ECONNREFUSED|DATABASE_URL: start|address of DATABASE_URL/;
  expect([...lines, server.stderr()].filter((line) => wrong.test(line))).toEqual([]);
});

test('a disk that fills up while gates write: gates and imports learn it, a start reports it once; nothing committed is lost, and the next start with space works', async () => {
  const sql = await openGates(place);
  await enter(sql, 'fills', 3_000);
  await expectScreenExact(place, sql);
  const fillers = [fill()];
  // Each update of all rows needs new pages.
  await until(async () => {
    const update = sql`update tickets set entrou = not entrou`;
    await expect(update).rejects.toThrow(/No space left on device/);
  }, 60_000);
  await until(async () => expect((await readiness(place)).text).toMatch(FULL), 60_000);
  expect(server.stdout()).toMatch(/"level":40.*disk of the data folder \S+ is all but full: free some space/);
  // An import says nothing that is not so, and names what is.
  const gates = place.run('gates', ['import', manyTickets()]);
  await expectRefused(
    gates,
    /disk of the database in .* is full: free some space .* Nothing was imported\.\n$/,
  );
  expect(gates.stdout()).toBe('');
  expect(gates.stderr()).not.toMatch(/npm start|DATABASE_URL/);
  // A start now cannot observe: a slot is a file. It says so, once.
  await server.end('SIGKILL');
  const hindered = place.run();
  await until(() => {
    // What PostgreSQL lets go of as it ends.
    fillers.push(fill());
    expect(hindered.stdout() + hindered.stderr()).toMatch(/disk .* is full/);
  }, 60_000);
  expect(hindered.stdout().match(/disk of the data folder \S+ is full/g)?.length ?? 0).toBeLessThanOrEqual(1);
  for (const free of fillers) free();
  await hindered.end();
  await place.start();
  await expectScreenExact(place, await openGates(place));
});

/** Lets `tickets` people in, each with a new ticket. */
async function enter(sql: postgres.Sql, name: string, tickets: number): Promise<void> {
  await sql`
    insert into tickets select ${DEFAULT_EVENT_ID}, ${name}::text || n, true, n % 3 = 0, '4'
    from generate_series(1, ${tickets}) n`;
}

/** A file of more tickets than what is left of a full disk has room for. */
function manyTickets(): string {
  const lines = Array.from({ length: 100_000 }, (_, n) => `from-a-file-${n},true,false,4\n`);
  const folder = makeTestFolder({ 'tickets.csv': `id,isValidTicket,entrou,setor\n${lines.join('')}` });
  return join(folder, 'tickets.csv');
}

/** Kills the PostgreSQL that runs in the folder, if one does. */
function killServer(folder: string): void {
  const file = join(folder, 'cluster', 'postmaster.pid');
  if (existsSync(file)) signalAll([Number.parseInt(readFileSync(file, 'utf8'), 10)], 'SIGKILL');
}

/** Of the lines of a log with this message, Unix time. */
function timesOf(log: string, message: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes(message));
  return lines.map((line) => (JSON.parse(line) as { time: number }).time);
}

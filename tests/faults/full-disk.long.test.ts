import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { EMBEDDED_NAMES } from '../../database/embedded/cluster-files.ts';
import { errorCode } from '../../database/setup-error.ts';
import { connectTestDatabase } from '../../testing/database/database.ts';
import { duration } from '../../testing/durations.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { expectScreenExact, expectRefused, openGates } from '../../testing/server/installation.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startGates } from '../../testing/desk/recorded-flow.ts';
import { readMetrics } from '../../testing/server/metrics.ts';
import { readiness, untilReady } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { until } from '../../testing/until.ts';
import {
  expectRecounted,
  readRecordedMinutes,
  UNWATCHED_BEFORE_MS,
  untilRecorded,
} from '../flow/expect-recounted.ts';
import { enter, openSmallDisk, SPEED } from './small-disk.ts';
import { expectKept, startOperators } from '../flow/operators.ts';
import { testInFull } from '../../testing/test-in-full.ts';

const FULL_MS = duration(60_000, 2_000);
/** Minutes that are watched before the disk is full, and after it. */
const WATCHED = 6;
const FULL = /disk of .* full/;

const board = openForAll(openSmallDisk);

test('a disk that is full for a while as gates and operators write: each minute that was watched is recorded, as SQL recounts it; commands are refused, and each is recorded once there is space', async () => {
  const { clock, flowClock, fill, metricsUrl, place, server } = board;
  const freeBytes = async (): Promise<number | undefined> =>
    (await readMetrics(metricsUrl))['triagem_disk_free_bytes'];
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
  expect(await freeBytes()).toBeGreaterThan(2 ** 20);
  const free = fill();
  await until(async () => expect((await readiness(place)).text).toMatch(FULL), 60_000);
  await until(async () => expect(await freeBytes()).toBeLessThan(2 ** 20));
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

testInFull(
  'a disk that fills up while gates write: gates and imports learn it, a start reports it once; nothing committed is lost, and the next start with space works',
  async () => {
    const { fill, place, server } = board;
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
    expect(server.stdout()).toMatch(
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
    await server.end('SIGKILL');
    const hindered = place.run();
    await until(() => {
      // What PostgreSQL lets go of as it ends.
      fillers.push(fill());
      expect(hindered.stdout() + hindered.stderr()).toMatch(/disk .* is full/);
    }, 60_000);
    expect(hindered.stdout().match(/disk of the data folder \S+ is full/g)?.length ?? 0).toBeLessThanOrEqual(
      1,
    );
    for (const free of fillers) free();
    await hindered.end();
    await place.start();
    await expectScreenExact(place, await openGates(place));
  },
);

/** A file of more tickets than what is left of a full disk has room for. */
function manyTickets(): string {
  const lines = Array.from({ length: 100_000 }, (_, n) => `from-a-file-${n},true,false,4\n`);
  const folder = makeTestFolder({ 'tickets.csv': `id,isValidTicket,entrou,setor\n${lines.join('')}` });
  return join(folder, 'tickets.csv');
}

/** Of the lines of a log with this message, Unix time. */
function timesOf(log: string, message: string): number[] {
  const lines = log.split('\n').filter((line) => line.includes(message));
  return lines.map((line) => (JSON.parse(line) as { time: number }).time);
}

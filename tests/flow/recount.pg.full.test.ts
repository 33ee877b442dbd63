import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { minuteOf } from '../../desk/model/series/minute.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { writeAtRandom } from '../../testing/database/random-changes.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { type Away, expectRecounted, readRecordedMinutes, untilRecorded } from './expect-recounted.ts';

/** A minute of the flow is a second. */
const SPEED = 60;
/** Between two looks at the database's clock, and before a commit counts as written. */
const CHECK_EVERY_MS = 400;
const UNWATCHED_BEFORE_MS = CHECK_EVERY_MS + 1_500;

const KICK_OFFS = ['2030-06-01T19:00:00.000Z', '2030-06-01T19:15:00.000Z', '2030-06-01T18:30:00.000Z'];

const database = openForAll(createTestDatabase);

test('minutes of any history are those of a recount by SQL; what was not watched is a gap, and nothing else', async () => {
  const history = await keepTicketHistory(database);
  const clock = { sinceMs: Date.now(), speed: SPEED };
  const flowClock = speedUp(clock.sinceMs, SPEED);
  const limits = { ...OBSERVING_LIMITS, checkEveryMs: CHECK_EVERY_MS };
  const server = await startTestServer(
    database,
    { DESK_KEY, RECORD_DATABASE_URL: database.recordUrl },
    { flowClock, limits },
  );
  await untilReady(server);

  const away: Away[] = [];
  const breakOff = async (): Promise<void> => {
    const fromMs = flowClock(Date.now() - UNWATCHED_BEFORE_MS);
    await database.terminate('walsender');
    await pause(300);
    await untilReady(server);
    away.push({ fromMs, toMs: flowClock(Date.now()) });
  };
  /** Waits until `minutes` more are recorded, however long that takes on this machine. */
  const untilMore = async (minutes: number): Promise<void> => {
    const before = await countMinutes();
    await until(async () => expect(await countMinutes()).toBeGreaterThanOrEqual(before + minutes));
  };
  const stopping = new AbortController();
  const writing = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!stopping.signal.aborted) await writeAtRandom(database, 40, { pauseMs: 25 });
    }),
  );
  await untilMore(3);
  await breakOff();
  await untilMore(2);
  // Minutes do not hang on it.
  for (const kickOff of KICK_OFFS) {
    await database.gates`
      insert into event_details (event_id, title, kick_off_at) values (${DEFAULT_EVENT_ID}, 'Final', ${kickOff})
      on conflict (event_id) do update set kick_off_at = excluded.kick_off_at`;
    await untilMore(1);
    await until(async () => expect((await readKickOffs()).at(-1)).toBe(kickOff));
  }
  // At once, as a file or turnstiles that were offline.
  await database.gates`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${DEFAULT_EVENT_ID}, 'lot' || n, true, true, '7' from generate_series(1, 400) n`;
  const [uploaded] = await database.admin<[{ atMs: number }]>`
    select extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as "atMs" from tickets where id = 'lot1'`;
  await untilMore(2);
  await database.admin`truncate tickets`;
  await untilMore(2);
  await breakOff();
  await untilMore(1);
  stopping.abort();
  await writing;
  await untilRecorded(database.admin, flowClock(Date.now()));
  const { compared } = await expectRecounted(database.admin, history, away, clock);
  expect(compared).toBeGreaterThanOrEqual(10);
  const [lot] = await database.admin<{ sector: string; data: unknown }[]>`
    select sector, data from triagem.log where kind = 'lot' order by seq limit 1`;
  expect(lot).toEqual({ sector: '7', data: { count: 400 } });
  // In the minute of its commit, and in its sector alone.
  const lots = await database.admin<{ sector: string; lots: number }[]>`
    select sector, lots from triagem.minutes
    where minute = to_timestamp(${minuteOf(flowClock(uploaded.atMs)) / 1_000}) and lots <> 0`;
  expect(lots).toEqual([{ sector: '7', lots: 400 }]);
  expect(await readKickOffs()).toEqual(KICK_OFFS);
});

async function countMinutes(): Promise<number> {
  return new Set((await readRecordedMinutes(database.admin)).map(({ minuteMs }) => minuteMs)).size;
}

/** As the log tells of them. */
async function readKickOffs(): Promise<string[]> {
  const rows = await database.admin<{ kickOffAtMs: number }[]>`
    select (data ->> 'kickOffAtMs')::float8 as "kickOffAtMs" from triagem.log where kind = 'times' order by seq`;
  return rows.map(({ kickOffAtMs }) => new Date(kickOffAtMs).toISOString());
}

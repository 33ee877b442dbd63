import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { speedUp } from '../../server/flow/flow-clock.ts';
import { OBSERVING_LIMITS } from '../../server/observing/limits.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { writeAtRandom } from '../../testing/random-changes.ts';
import { startTestServer, untilReady } from '../../testing/test-server.ts';
import { keepTicketHistory } from '../../testing/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { type Away, expectRecounted, readRecordedMinutes } from './expect-recounted.ts';

/** A minute of the flow is a second. */
const SPEED = 60;
/** Between two looks at the database's clock, and before a commit counts as written. */
const CHECK_EVERY_MS = 400;
const UNWATCHED_BEFORE_MS = CHECK_EVERY_MS + 1_500;

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
  /** Until so many more minutes are recorded, however long that takes here. */
  const untilRecorded = async (minutes: number): Promise<void> => {
    const before = await countMinutes();
    await until(async () => expect(await countMinutes()).toBeGreaterThanOrEqual(before + minutes));
  };
  const stopping = new AbortController();
  const writing = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!stopping.signal.aborted) await writeAtRandom(database, 40, { pauseMs: 25 });
    }),
  );
  await untilRecorded(3);
  await breakOff();
  await untilRecorded(2);
  // At once, as a file or turnstiles that were offline.
  await database.gates`
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${DEFAULT_EVENT_ID}, 'lot' || n, true, true, '7' from generate_series(1, 400) n`;
  await untilRecorded(2);
  await database.admin`truncate tickets`;
  await untilRecorded(2);
  await breakOff();
  await untilRecorded(1);
  stopping.abort();
  await writing;
  const endMs = flowClock(Date.now());
  await until(async () =>
    expect((await readRecordedMinutes(database.admin)).at(-1)?.minuteMs).toBeGreaterThan(endMs),
  );

  const { compared } = await expectRecounted(database.admin, history, away, clock);
  expect(compared).toBeGreaterThanOrEqual(10);
  const [lot] = await database.admin<{ sector: string; data: unknown }[]>`
    select sector, data from triagem.log where kind = 'lot' order by seq limit 1`;
  expect(lot).toEqual({ sector: '7', data: { count: 400 } });
});

async function countMinutes(): Promise<number> {
  return new Set((await readRecordedMinutes(database.admin)).map(({ minuteMs }) => minuteMs)).size;
}

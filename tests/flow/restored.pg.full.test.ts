import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import type { History } from '../../desk/model/series/history.ts';
import { MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { backup } from '../../gates/backup/backup.ts';
import { verifyRecord } from '../../desk/tool/verify.ts';
import { restore } from '../../gates/backup/restore.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { createTestDatabase, newEventId, type TestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { readLogRows } from '../../testing/desk/log-rows.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { recordingBy } from '../../testing/desk/recorded-flow.ts';
import { serverEntry } from '../../testing/server/server-entry.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

/** A minute of the flow is three seconds. */
const SPEED = 20;
const CHECK_EVERY_MS = 200;
const EARLIER_EVENT = newEventId();
/** In each sector: more than turnstiles let in within a minute. */
const ENTERED = 700;
const SECTORS = DEFAULT_VENUE.sectors.map(({ code }) => ({ code, valid: 1_000 }));

/** What is lost: tickets, and the record of the match and of an earlier one. */
const source = openForAll(async () => {
  const database = await createTestDatabase();
  await database.gates`
    insert into tickets
    select ${DEFAULT_EVENT_ID}, code || '-' || n, true, n <= ${ENTERED}, code
    from unnest(string_to_array(${SECTORS.map(({ code }) => code).join()}, ',')) code, generate_series(1, 1000) n`;
  const kickOffMs = minuteOf(Date.now()) - 3 * 60 * MINUTE_MS;
  const data = { rule: 'near-capacity', figures: { admitted: 900, capacity: 1_000 } } as const;
  const alarm: LogEntry = {
    ...serverEntry('alarm:near-capacity:7:1', 'alarm', data, kickOffMs),
    sector: '7',
  };
  await recordGeneratedMatch(database, {
    eventId: DEFAULT_EVENT_ID,
    kickOffMs,
    sectors: SECTORS,
    entries: [alarm],
  });
  await recordGeneratedMatch(database, {
    eventId: EARLIER_EVENT,
    kickOffMs: kickOffMs - 7 * 24 * 60 * MINUTE_MS,
    sectors: SECTORS,
  });
  return database;
});
const tool = useGatesTool();

const rolesOf = ({ gatesUrl, recordUrl }: TestDatabase): Record<string, string> => ({
  GATES_DATABASE_URL: gatesUrl,
  RECORD_DATABASE_URL: recordUrl,
});

/** Where a desk is. A full run restores beside a fleet, too. */
type Start = (database: TestDatabase, sinceMs: number) => Promise<{ readonly url: string }>;

const BOARDS: readonly (readonly [string, Start])[] = [
  [
    'one process',
    (database, sinceMs) =>
      startTestServer(
        database,
        { DESK_KEY, RECORD_DATABASE_URL: database.recordUrl },
        {
          flowClock: speedUp(sinceMs, SPEED),
          limits: { ...OBSERVING_LIMITS, checkEveryMs: CHECK_EVERY_MS },
        },
      ),
  ],
  [
    'a fleet of two counters',
    async (database, sinceMs) => {
      const nats = await startNats();
      const { script, env } = recordingBy({ sinceMs, speed: SPEED }, database.recordUrl);
      for (const name of ['c1', 'c2']) {
        await startCounter(nats, database.observerUrl, {
          script,
          env: { ...env, NODE_NAME: name, CHECK_EVERY_MS: String(CHECK_EVERY_MS) },
        });
      }
      const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY } });
      await untilFollowing(edge, 'c1', 'c2');
      return edge;
    },
  ],
];

describe.each(BOARDS.slice(0, IS_FULL ? 2 : 1))('a restore beside %s', (_what, start) => {
  test('brings log, alarms and minutes back; the flow has a gap, and nobody entered', async () => {
    const database = await createTestDatabase();
    const sinceMs = minuteOf(Date.now());
    const { url } = await start(database, sinceMs);
    const desk = await openDesk(url, { name: 'Ana', key: DESK_KEY });
    const stream = await openDeskStream(url, desk.cookie);
    // Minutes in which there is nothing are nothing to record.
    await until(() => expect(stream.minutes.length).toBeGreaterThan(1));
    expect(await database.admin`select from triagem.log`).toHaveLength(0);
    expect(await database.admin`select from triagem.minutes`).toHaveLength(0);

    const file = join(tool.folder, `${_what}.sql.gz`.replaceAll(' ', '-'));
    await backup.run([file], rolesOf(source));
    await restore.run([file], rolesOf(database));
    const begunMs = speedUp(sinceMs, SPEED)(Date.now());

    const before = await readLogRows(source.admin);
    const total = SECTORS.length * ENTERED;
    await until(() => expect(stream.state?.total.admitted).toBe(total));
    await until(async () => {
      const rows = await readLogRows(database.admin);
      expect(rows.slice(0, before.length)).toEqual(before);
      expect(rows.slice(before.length).map(({ kind }) => kind)).toEqual(
        // The alarm was active when the backup was made; nobody permits that capacity here.
        expect.arrayContaining(['started', 'gap', 'alarm-returned']),
      );
    }, 30_000);
    // What follows is watched minute by minute again.
    const recordedSince = async (): Promise<readonly { net: number; admitted: number; lots: number }[]> =>
      database.admin`
        select sum(net)::int as net, sum(admitted)::int as admitted, sum(lots)::int as lots
        from triagem.minutes where event_id = ${DEFAULT_EVENT_ID} and minute >= ${new Date(sinceMs)}::timestamptz
        group by minute order by minute`;
    await until(async () => expect((await recordedSince()).length).toBeGreaterThan(2), 30_000);
    for (const minute of await recordedSince()) expect(minute).toEqual({ net: 0, admitted: total, lots: 0 });
    const after = (await readLogRows(database.admin)).slice(before.length);
    // Nobody entered, and the record was there all the while.
    expect(after.filter(({ kind }) => kind === 'lot' || kind === 'interrupted')).toEqual([]);
    const gaps = after.flatMap((row) => (row.kind === 'gap' ? [row.data] : []));
    expect(gaps.some(({ fromMs, toMs }) => fromMs < begunMs && begunMs < toMs + MINUTE_MS)).toBe(true);
    expect(await verifyRecord.run([], rolesOf(database))).toBe(0);

    // The desk has it all, without a restart.
    const { rows } = (await (await desk.get(`${DESK_EVENT_PATH}/log`)).json()) as { rows: readonly LogRow[] };
    expect(rows.slice(0, before.length)).toEqual(before);
    const asked = await desk.get(
      `${DESK_EVENT_PATH}/history?from=${Date.now() - 5 * 3_600_000}&to=${Date.now()}`,
    );
    const { minuteMs } = (await asked.json()) as History;
    expect(minuteMs.filter((ms) => ms < sinceMs - 60 * MINUTE_MS).length).toBeGreaterThan(60);
    // The earlier match is there, for the forecasts.
    const [{ earlier }] = await database.admin<[{ earlier: number }]>`
      select count(*)::int as earlier from triagem.minutes where event_id = ${EARLIER_EVENT}`;
    expect(earlier).toBeGreaterThan(0);
  });
});

import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { DeskState } from '../../desk/model/desk-state.ts';
import type { LogKind, LogRow } from '../../desk/model/log/flow-log.ts';
import type { History } from '../../desk/model/series/history.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import {
  createTestDatabase,
  insertTickets,
  setEntered,
  type TestDatabase,
} from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import {
  DESK_EVENT_PATH,
  type DeskClient,
  type DeskStream,
  openDesk,
  openDeskStream,
} from '../../testing/desk/desk-client.ts';
import { startGatesListener } from '../../testing/gates/gates-listener.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { startTestServer, type TestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const LIMITS = { ...OBSERVING_LIMITS, checkEveryMs: 200 };

const database: TestDatabase = openForEach(() =>
  createTestDatabase({ inside: { a: '4', odd: '04' }, outside: { b: '4', c: '7' } }),
);
let server: TestServer;
let desk: DeskClient;
let stream: DeskStream;

/** `speed`: of the flow's clock. */
async function open(
  env: Record<string, string> = { RECORD_DATABASE_URL: database.recordUrl },
  speed = 1,
): Promise<void> {
  const flowClock = speedUp(Date.now(), speed);
  server = await startTestServer(database, { DESK_KEY, ...env }, { limits: LIMITS, flowClock });
  await untilReady(server);
  desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  stream = await openDeskStream(server.url, desk.cookie);
  await until(() => expect(state().record.state).toEqual({ kind: 'writer' }));
}

/** What it is told from now on: each second anew. */
function state(): DeskState {
  if (!stream.state) throw new Error('it is told nothing yet');
  return stream.state;
}

async function log(): Promise<readonly LogRow[]> {
  const { rows } = (await (await desk.get(`${DESK_EVENT_PATH}/log`)).json()) as { rows: readonly LogRow[] };
  return rows;
}

type Interruption = Extract<LogRow, { kind: 'interrupted' }>['data'];

/** As the record's database has it: whoever waits for rows would use up the reads that a desk may make in a minute. */
async function recorded(kind: LogKind): Promise<LogRow['data'][]> {
  const rows = await database.admin<{ data: LogRow['data'] }[]>`
    select data from triagem.log where kind = ${kind} order by seq`;
  return rows.map(({ data }) => data);
}

/** Whole seconds, soon: an operator's kick-off is within a day from now. */
const GATES_OPEN_MS = Math.ceil(Date.now() / 1_000) * 1_000;
const KICK_OFF_MS = GATES_OPEN_MS + 2 * 60 * 60_000;

async function setTimes(gatesOpenMs: number | null, kickOffMs: number): Promise<void> {
  const [gatesOpen, kickOff] = [gatesOpenMs === null ? null : new Date(gatesOpenMs), new Date(kickOffMs)];
  await database.gates`
    insert into public.event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Palestra × Atlético', ${gatesOpen}, ${kickOff})
    on conflict (event_id) do update
    set gates_open_at = excluded.gates_open_at, kick_off_at = excluded.kick_off_at`;
}

test('a desk is told who is in, in total, by row, and with codes of no row', async () => {
  await open();
  await until(() => expect(state().source).toEqual({ live: true }));
  const { total, rows, record, timeline } = state();
  expect(timeline).toMatch(/^[0-9a-z]+\.11$/);
  expect(record).toEqual({ state: { kind: 'writer' }, isKept: true, minutesWaiting: 0 });
  expect(total).toMatchObject({ admitted: 2, valid: 4 });
  expect(rows).toHaveLength(14);
  expect(rows.find(({ code }) => code === '4')).toMatchObject({ admitted: 1, valid: 2, lastEntryAtMs: null });
  expect(rows.at(-1)).toMatchObject({ code: '', admitted: 1, valid: 1 });
  const beforeMs = Date.now();
  await setEntered(database.gates, 'b', true);
  await until(() => expect(state().total.admitted).toBe(3));
  const { lastEntryAtMs } = state().total;
  expect(lastEntryAtMs).toBeGreaterThan(beforeMs - 1_000);
  expect(lastEntryAtMs).toBeLessThan(Date.now() + 1_000);
});

test('its times are those of the event, and what an operator sets wins over them until it is taken back; none of them need be one', async () => {
  await open();
  await setTimes(GATES_OPEN_MS, KICK_OFF_MS);
  await until(() =>
    expect(state().times).toEqual({
      gatesOpenAtMs: GATES_OPEN_MS,
      kickOffAtMs: KICK_OFF_MS,
      isKickOffOfDesk: false,
      plannedKickOffAtMs: KICK_OFF_MS,
    }),
  );
  const id = crypto.randomUUID();
  const kickOffAtMs = KICK_OFF_MS + 15 * 60_000;
  expect((await desk.command({ id, kind: 'kick-off', kickOffAtMs, text: undefined })).status).toBe(200);
  await until(() =>
    expect(state().times).toMatchObject({
      kickOffAtMs,
      isKickOffOfDesk: true,
      plannedKickOffAtMs: KICK_OFF_MS,
    }),
  );
  // Given before the other desk's, and held up by the network: it is not what its operator would order now.
  const heldUp = { kind: 'kick-off', kickOffAtMs: KICK_OFF_MS + 30 * 60_000, text: undefined };
  const refused = await desk.command({ ...heldUp, fromMs: KICK_OFF_MS });
  expect([refused.status, await refused.json()]).toMatchObject([409, { reason: 'changed' }]);
  expect(state().times.kickOffAtMs).toBe(kickOffAtMs);
  await setTimes(GATES_OPEN_MS, KICK_OFF_MS + 5 * 60_000);
  await until(async () => expect(await recorded('times')).toHaveLength(2));
  expect(state().times).toMatchObject({ kickOffAtMs, isKickOffOfDesk: true });
  await desk.command({ kind: 'take-back', entryId: id, text: undefined });
  await until(() =>
    expect(state().times).toMatchObject({
      kickOffAtMs: KICK_OFF_MS + 5 * 60_000,
      isKickOffOfDesk: false,
    }),
  );

  // A kick-off that is no instant and a time zone that is none are as if nobody had given them.
  const { timeZone } = state();
  await database.gates`
    update public.event_details
    set gates_open_at = '290000-01-01', kick_off_at = 'infinity', time_zone = 'Brasilia'`;
  await until(() => expect(state().times).toMatchObject({ gatesOpenAtMs: null, kickOffAtMs: null }));
  expect(state().timeZone).toBe(timeZone);
  await setEntered(database.gates, 'b', true);
  await until(() => expect(state()).toMatchObject({ source: { live: true }, total: { admitted: 3 } }));
});

test('a mark stands on its row, on the total and on the wall, with who set it and since when: also once it has ended, and after a restart; only a mistake takes it away', async () => {
  await open();
  const wall = await openPageClient(server.url);
  const told = (client = wall) => client.messages.findLast(({ event }) => event === 'incomplete');
  await until(() => expect(told()).toEqual({ event: 'incomplete', data: [] }));
  const id = crypto.randomUUID();
  const sinceMs = state().nowMs - 3 * 60_000;
  const estimate = { count: 150, how: 'contagem manual' };
  const mark = { id, kind: 'mark', sector: '7', mark: 'unscanned', sinceMs, estimate, text: undefined };
  expect((await desk.command(mark)).status).toBe(200);
  await until(() => expect(state().marks).toHaveLength(1));
  const marked = state();
  const atMs = expect.any(Number) as number;
  const shown = { id, mark: 'unscanned', sector: '7', sinceMs, by: 'Ana' };
  expect(marked.marks).toEqual([{ ...shown, estimate: { ...estimate, by: 'Ana', atMs } }]);
  const expectMarked = (): void => {
    expect(state().total.incompleteSinceMs).toBe(sinceMs);
    expect(state().rows.filter(({ incompleteSinceMs }) => incompleteSinceMs !== null)).toMatchObject([
      { code: '7', incompleteSinceMs: sinceMs },
    ]);
  };
  expectMarked();
  const from = new Date(sinceMs - 3 * 60 * 60_000).toISOString().slice(11, 16);
  await until(() => expect(told()).toMatchObject({ data: [{ row: '7', from, to: null }] }));
  expect((await desk.command({ ...mark, id: crypto.randomUUID() })).status).toBe(409);

  const takeBack = { kind: 'take-back', entryId: id, text: undefined };
  expect((await desk.command({ ...takeBack, why: 'ended' })).status).toBe(200);
  const time = expect.stringMatching(/^\d\d:\d\d$/) as string;
  await until(() => expect(told()).toMatchObject({ data: [{ row: '7', from, to: time }] }));
  await until(() => expect(state().marks).toMatchObject([{ ...shown, endedAtMs: atMs }]));
  expectMarked();
  for (const why of ['ended', undefined]) expect((await desk.command({ ...takeBack, why })).status).toBe(409);
  await server.stop();
  await open();
  await until(() => expect(state().marks).toMatchObject([{ ...shown, endedAtMs: atMs }]));
  expectMarked();
  const later = await openPageClient(server.url);
  await until(() => expect(told(later)).toMatchObject({ data: [{ row: '7', from, to: time }] }));

  expect((await desk.command({ ...takeBack, why: 'mistake' })).status).toBe(200);
  await until(() => expect(told(later)).toEqual({ event: 'incomplete', data: [] }));
  await until(() => expect(state()).toMatchObject({ marks: [], total: { incompleteSinceMs: null } }));
  expect((await desk.command({ kind: 'estimate', mark: id, ...estimate, text: undefined })).status).toBe(409);
});

test('a server that starts without its record says so to walls and desks, until it has read it', async () => {
  const network = await startNetwork(database.recordUrl);
  const env = { RECORD_DATABASE_URL: network.url };
  await open(env);
  const evacuation = { id: crypto.randomUUID(), kind: 'evacuation', text: undefined };
  expect((await desk.command(evacuation)).status).toBe(200);
  await server.stop();
  network.cut();
  server = await startTestServer(database, { DESK_KEY, ...env }, { limits: LIMITS });
  await untilReady(server);
  const wall = await openPageClient(server.url);
  const unknown = { row: null, from: '', to: null };
  await until(() =>
    expect(wall.messages.findLast(({ event }) => event === 'incomplete')).toMatchObject({ data: [unknown] }),
  );
  desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  stream = await openDeskStream(server.url, desk.cookie);
  await until(() => expect(state()).toMatchObject({ evacuatedAtMs: null, record: { isUnread: true } }));
  network.restore();
  await until(() => expect(state().evacuatedAtMs).not.toBeNull());
  expect(state().record.isUnread).toBeUndefined();
  await until(() =>
    expect(wall.messages.findLast(({ event }) => event === 'incomplete')).toMatchObject({ data: [] }),
  );
});

test('each time that a database ends a session of the server is in the log, once that is back', async () => {
  await open();
  const { admin } = database;
  const ended = async (what: 'tickets' | 'record', end: () => Promise<unknown>): Promise<void> => {
    const fromMs = state().nowMs;
    await end();
    await until(async () => {
      const [one, ...more] = ((await recorded('interrupted')) as Interruption[]).filter(
        (each) => each.what === what,
      );
      expect([one?.what, more]).toEqual([what, []]);
      expect(one?.toMs).toBeGreaterThan(fromMs);
      expect(one?.toMs).toBeGreaterThan(one?.fromMs ?? Infinity);
    }, 20_000);
  };
  await until(() => expect(state().source).toEqual({ live: true }));
  await ended(
    'tickets',
    () => admin`
      select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()`,
  );
  await ended(
    'record',
    () => admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'triagem record%'`,
  );
  await until(() =>
    expect(state()).toMatchObject({ source: { live: true }, record: { state: { kind: 'writer' } } }),
  );
});

test('a capacity is what the sectors permit, before the start and while it runs; the seats of the default venue are none', async () => {
  await open();
  const permitted = () =>
    state().rows.flatMap(({ code, capacity }) => (capacity === null ? [] : [[code, capacity]]));
  expect(permitted()).toEqual([]);
  await database.gates`
    insert into public.sectors (event_id, code, data) values (${DEFAULT_EVENT_ID}, '4', '{"capacity": 6000}')`;
  await until(() => expect(permitted()).toEqual([['4', 6_000]]));
  await server.stop();
  await open();
  await until(() => expect(permitted()).toEqual([['4', 6_000]]));
});

test('without RECORD_DATABASE_URL it keeps minutes and log in memory, and says so', async () => {
  await open({}, 60);
  expect(state().record.isKept).toBe(false);
  expect(server.logged.map(({ msg }) => msg)).toContainEqual(
    expect.stringContaining('RECORD_DATABASE_URL is not set'),
  );
  // A wall's clock goes as the flow's: it states times of marks.
  const wall = await openPageClient(server.url);
  await until(() => {
    const heartbeat = wall.messages.findLast((message) => message.event === 'heartbeat');
    const aheadMs = (heartbeat?.clock?.unixMs ?? 0) - state().nowMs;
    expect(Math.abs(aheadMs)).toBeLessThan(4 * 60_000);
    expect(state().nowMs - Date.now()).toBeGreaterThan(5 * 60_000);
  });
  await desk.command({ text: 'chuva forte' });
  expect((await log()).at(-1)).toMatchObject({
    kind: 'occurrence',
    by: 'Ana',
    data: { text: 'chuva forte' },
  });
  await insertTickets(database.gates, { inside: { d: '7' } });
  const place = DEFAULT_VENUE.sectors.findIndex(({ code }) => code === '7');
  await until(() => expect(stream.minutes.at(-1)?.sectors[place]?.admitted).toBe(1));
  const told = [...stream.minutes];
  const fromMs = told[0]?.minuteMs ?? 0;
  const toMs = (told.at(-1)?.minuteMs ?? 0) + 1;
  const response = await desk.get(`${DESK_EVENT_PATH}/history?from=${fromMs}&to=${toMs}`);
  const { minuteMs, sectors } = (await response.json()) as History;
  expect(minuteMs).toEqual(told.map((minute) => minute.minuteMs));
  const admitted = told.map((minute) => minute.sectors[place]?.admitted);
  expect(sectors[place]).toMatchObject({ code: '7', admitted });
  expect(await database.admin`select from triagem.minutes`).toHaveLength(0);
});

test('the metrics tell how the record is written', async () => {
  await open({ RECORD_DATABASE_URL: database.recordUrl, METRICS_PORT: '0' }, 60);
  await until(async () => {
    const text = await (await fetch(server.metricsUrl ?? '')).text();
    const read = (name: string): number =>
      Number(new RegExp(`^triagem_record_${name} (.+)$`, 'm').exec(text)?.[1]);
    expect(read('minutes_written_total')).toBeGreaterThan(1);
    expect(read('minutes_waiting')).toBe(0);
    expect(read('writer')).toBe(1);
    // A minute is a second here, and one is known about two seconds after its end.
    expect(read('last_minute_age_seconds')).toBeGreaterThan(0);
    expect(read('last_minute_age_seconds')).toBeLessThan(900);
  }, 20_000);
});

test('where listen runs, a desk is told which readings are not in the count, until their tickets come', async () => {
  await open();
  const listener = await startGatesListener({ GATES_DATABASE_URL: database.gatesUrl });
  await until(() => expect(stream.state).toBeDefined());
  expect(state().readings).toBeUndefined();
  await listener.post([
    { id: 'late', entrou: true },
    { id: 'b', entrou: 1 },
    { id: 'b', entrou: 2 },
    { id: 'b', entrou: true },
  ]);
  const elsewhere = 'e'.repeat(32);
  await listener.post({ id: 'b', entrou: true, gate: 'portão 7' }, { eventId: elsewhere });
  await until(() =>
    expect(state().readings).toEqual([
      { outcome: 'kept', reason: 'event', count: 1 },
      { outcome: 'kept', reason: 'ticket', count: 1 },
      { outcome: 'refused', reason: 'message', count: 2 },
    ]),
  );
  await insertTickets(database.gates, [{ id: 'late', setor: '7' }]);
  // That event comes: its readings are its own desk's.
  await database.gates`insert into events values (${elsewhere})`;
  await until(() =>
    expect(state()).toMatchObject({
      total: { admitted: 4 },
      readings: [{ outcome: 'refused', reason: 'message', count: 2 }],
    }),
  );
  await listener.stop();
});

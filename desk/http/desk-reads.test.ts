import { beforeAll, expect, test } from 'vitest';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { DESK_NOW_MS, minuteOf } from '../../testing/desk/small-desk.ts';

const app = openForAll(async () => {
  const started = await startDeskApp();
  return { ...started, ana: await openDesk(started.url, { name: 'Ana', key: DESK_KEY }) };
});

const MINUTES = [minuteOf(0, [3, 0, 0]), minuteOf(2, [5, 1, 2])];

beforeAll(async () => {
  for (const minute of MINUTES) app.desk.closeMinute(minute);
  for (const text of ['one', 'two', 'three']) await app.ana.command({ text });
});

async function read(path: string): Promise<unknown> {
  const response = await app.ana.get(`${DESK_EVENT_PATH}${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response.json();
}

test('the history is the known minutes in columns, a sector each, the others last', async () => {
  const from = DESK_NOW_MS - 3_600_000;
  expect(await read(`/history?from=${from}&to=${from + 7_200_000}`)).toEqual({
    minuteMs: MINUTES.map(({ minuteMs }) => minuteMs),
    sectors: [
      { code: '4', ...columns([3, 5]) },
      { code: '5', ...columns([0, 1]) },
      { code: '', ...columns([0, 2]) },
    ],
  });
  expect(await read(`/history?from=${from}&to=${from}`)).toMatchObject({ minuteMs: [] });
});

function columns(counts: readonly number[]): Record<string, readonly (number | null)[]> {
  return {
    admitted: counts,
    net: counts,
    entered: counts,
    reverted: counts.map(() => 0),
    moved: counts.map(() => null),
    valid: counts.map(() => 1_000),
    lots: counts.map(() => 0),
  };
}

test('the usual curve is read of the whole ground, or of a sector by its code', async () => {
  const curveOf = (share: number) => ({ matches: 3, fromMin: -1, shares: [share, 2 * share] });
  app.desk.usualCurves.set(undefined, curveOf(0.25)).set(1, curveOf(0.125));
  expect(await read('/usual')).toEqual({ usual: curveOf(0.25) });
  expect(await read('/usual?sector=5')).toEqual({ usual: curveOf(0.125) });
  expect(await read('/usual?sector=')).toEqual({ usual: null });
});

test('the log is read from its beginning, or behind a row', async () => {
  const { rows } = app.desk;
  expect(await read('/log')).toEqual({ rows, hasMore: false });
  expect(await read('/log?after=2')).toEqual({ rows: rows.slice(2), hasMore: false });
  expect(await read('/log?after=3')).toEqual({ rows: [], hasMore: false });
});

test('any instant in a recorded minute gets the state at the end of the minute', async () => {
  const startMs = MINUTES[0]?.minuteMs ?? 0;
  const endMs = startMs + 60_000;
  for (const atMs of [endMs - 59_999, endMs - 1, endMs]) {
    expect(await read(`/state?at=${atMs}`)).toMatchObject({ nowMs: endMs, lastMinuteMs: startMs });
  }
  for (const atMs of [startMs, endMs + 3_600_000]) {
    expect((await app.ana.get(`${DESK_EVENT_PATH}/state?at=${atMs}`)).status).toBe(404);
  }
});

test.each([
  ['/state', 'at'],
  ['/state?at=18:29', 'at'],
  ['/history', 'from'],
  ['/history?from=1', 'to'],
  ['/history?from=a&to=2', 'from'],
  ['/history?from=1&to=-2', 'to'],
  ['/history?from=1&from=1&to=2', 'from'],
  ['/history?from=1&to=21600002', 'to'],
  ['/history?from=1&to=1e9', 'to'],
  ['/usual?sector=6', 'sector'],
  ['/usual?sector=4&sector=5', 'sector'],
  ['/log?after=x', 'after'],
  ['/log?after=9999999999999999', 'after'],
])('%s is refused, with the field %s', async (path, field) => {
  const response = await app.ana.get(`${DESK_EVENT_PATH}${path}`);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ status: 422, field });
});

test('a long log is read in parts', async () => {
  const long = await startDeskApp();
  const bruno = await openDesk(long.url, { name: 'Bruno', key: DESK_KEY });
  const [row] = app.desk.rows;
  for (let seq = 1; seq <= 501; seq += 1) long.desk.rows.push({ ...row, seq } as typeof row & object);
  const first = await bruno.get(`${DESK_EVENT_PATH}/log`);
  expect(await first.json()).toEqual({ rows: long.desk.rows.slice(0, 500), hasMore: true });
  const second = await bruno.get(`${DESK_EVENT_PATH}/log?after=500`);
  expect(await second.json()).toEqual({ rows: long.desk.rows.slice(500), hasMore: false });
});

test('a session reads so often in a minute, and another goes on', async () => {
  const paced = await startDeskApp();
  const bruno = await openDesk(paced.url, { name: 'Bruno', key: DESK_KEY });
  const statuses: number[] = [];
  for (let index = 0; index < 122; index += 1) {
    statuses.push((await bruno.get(`${DESK_EVENT_PATH}/log`)).status);
  }
  expect(statuses).toEqual([...Array<number>(120).fill(200), 429, 429]);
  const carla = await openDesk(paced.url, { name: 'Carla', key: DESK_KEY });
  expect((await carla.get(`${DESK_EVENT_PATH}/log`)).status).toBe(200);
});

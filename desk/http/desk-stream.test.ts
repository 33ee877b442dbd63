import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { DeskState } from '../model/desk-state.ts';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { openRawClient, type RawClient } from '../../testing/server/raw-client.ts';
import { createSmallDesk, minuteOf } from '../../testing/desk/small-desk.ts';
import { until } from '../../testing/until.ts';
import { DeskUnavailableError } from '../flow/desk.ts';

const app = openForEach(() => startDeskApp());

async function openStream({ url } = app, query = ''): Promise<RawClient> {
  const { cookie } = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  const client = await openRawClient(url);
  client.get(`${DESK_EVENT_PATH}/live${query}`, { cookie });
  return client;
}

/** The events so far, whose text has come whole. */
function events(client: RawClient): { event: string; data: Record<string, unknown> }[] {
  return [...client.text().matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

test('a stream begins with the build and the whole state, at once, and goes on with the state each second', async () => {
  const client = await openStream();
  await until(() => expect(events(client).length).toBeGreaterThanOrEqual(3));
  const [build, first, second] = events(client);
  expect(client.text()).toMatch(/content-type: text\/event-stream; charset=utf-8\r\n/);
  expect(client.text()).toMatch(/x-accel-buffering: no\r\n/);
  expect(build).toMatchObject({
    event: 'build',
    data: { id: 'desk build', clock: { unixMs: expect.any(Number) } },
  });
  const { nowMs: _nowMs, ...state } = app.desk.state();
  expect(first).toMatchObject({ event: 'desk', data: state });
  expect(second).toMatchObject({ event: 'desk', data: state });
  const betweenMs = Number(second?.data['sentAtMs']) - Number(first?.data['sentAtMs']);
  expect(betweenMs).toBeGreaterThan(0);
});

test('the timeline that a desk has seen is passed on, but only with a session', async () => {
  const seen: string[] = [];
  const edge = await startDeskApp({ pageHasSeen: (timeline) => void seen.push(timeline) });
  expect((await fetch(`${edge.url}${DESK_EVENT_PATH}/live?seen=9.13`)).status).toBe(401);
  for (const query of ['?seen=9.1', '?seen=', '', '?seen=9.12']) {
    const client = await openStream(edge, query);
    await until(() => expect(events(client)).not.toEqual([]));
  }
  expect(seen).toEqual(['9.12']);
});

test('each minute is sent as it becomes known', async () => {
  const client = await openStream();
  await until(() => expect(events(client)).toHaveLength(2));
  const minute = minuteOf(0, [3, 1, 2]);
  app.desk.closeMinute(minute);
  await until(() => expect(events(client)).toContainEqual({ event: 'minute', data: minute }));
});

test('a stream ends in good order with its session, and another session goes on', async () => {
  const brief = await startDeskApp({ deskOptions: { sessionLifetimeMs: 1_500 } });
  const client = await openStream(brief);
  await until(() => expect(client.text()).toMatch(/\r\n0\r\n\r\n$/));
  expect(client.closed()).toBe(false);
  const next = await openStream(brief);
  await until(() => expect(events(next)).toHaveLength(2));
});

test('there are a hundred streams at most, and one that leaves makes room', async () => {
  const streams = await Promise.all(Array.from({ length: 100 }, () => openStream()));
  await until(() => expect(streams.map((client) => client.statuses())).toEqual(streams.map(() => [200])));
  const refused = await openStream();
  await until(() => expect(refused.statuses()).toEqual([503]));
  expect(refused.text()).toMatch(/retry-after: 10\r\n/);
  streams[0]?.leave();
  await until(async () => {
    const next = await openStream();
    await until(() => expect(next.statuses()).toHaveLength(1));
    expect(next.statuses()).toEqual([200]);
  });
});

test('a stream begins before a state that takes long, stays open with comments, and sends the state later', async () => {
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  let answer: (() => void) | undefined;
  const slow = {
    ...desk,
    state: () => new Promise<DeskState>((resolve) => (answer = () => resolve(desk.state()))),
  };
  const client = await openStream(await startDeskApp({ maxSilenceMs: 100, deskOptions: { desk: slow } }));
  await until(() => expect(client.text().split('\n:\n').length).toBeGreaterThan(4));
  expect(events(client).map(({ event }) => event)).toEqual(['build']);
  await until(() => {
    answer?.();
    expect(events(client).map(({ event }) => event)).toContain('desk');
  });
});

test('a stream of an unavailable desk begins without its state, and sends it once the desk answers', async () => {
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  let isAway = true;
  const away = {
    ...desk,
    state: async () => {
      if (isAway) throw new DeskUnavailableError('no counter answers');
      return desk.state();
    },
  };
  const client = await openStream(await startDeskApp({ maxSilenceMs: 100, deskOptions: { desk: away } }));
  await until(() => expect(client.text().split('\n:\n').length).toBeGreaterThan(4));
  expect(client.statuses()).toEqual([200]);
  expect(events(client).map(({ event }) => event)).toEqual(['build']);
  isAway = false;
  await until(() => expect(events(client).map(({ event }) => event)).toContain('desk'));
});

test('a state that takes long holds up none that is asked for later, and is not sent after it', async () => {
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  let asked = 0;
  const answers = new Map<number, () => void>();
  const slow = {
    ...desk,
    state: () => {
      asked += 1;
      const state = { ...desk.state(), lastSeq: asked };
      return new Promise<DeskState>((resolve) => answers.set(asked, () => resolve(state)));
    },
  };
  const client = await openStream(await startDeskApp({ deskOptions: { desk: slow } }));
  const told = (): unknown[] =>
    events(client).flatMap(({ event, data }) => (event === 'desk' ? data['lastSeq'] : []));
  await until(() => expect(asked).toBeGreaterThanOrEqual(4));
  answers.get(3)?.();
  await until(() => expect(told()).toEqual([3]));
  answers.get(2)?.();
  answers.get(4)?.();
  await until(() => expect(told()).toEqual([3, 4]));
});

test('a stream begins with the state that the other desks have had for less than a second, whatever the next one takes', async () => {
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  let isSlow = false;
  const slow = {
    ...desk,
    state: async () => {
      if (isSlow) await new Promise(() => {});
      return desk.state();
    },
  };
  const edge = await startDeskApp({ deskOptions: { desk: slow } });
  const first = await openStream(edge);
  const { cookie } = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
  await until(async () => {
    const before = events(first).length;
    await until(() => expect(events(first).length).toBeGreaterThan(before));
    isSlow = true;
    const next = await openRawClient(edge.url);
    next.get(`${DESK_EVENT_PATH}/live`, { cookie });
    await until(() => expect(next.text()).toContain('event: build'));
    isSlow = false;
    expect(events(next).at(-1)).toEqual(events(first).at(-1));
  });
});

test('no state is made while no desk looks', async () => {
  const client = await openStream();
  await until(() => expect(events(client).length).toBeGreaterThanOrEqual(3));
  client.leave();
  // Until the server has heard of it.
  await until(async () => {
    const before = app.desk.statesTold;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(app.desk.statesTold).toBe(before);
  });
});

test('a desk that reads no more skips, costs no queue, and gets the newest state when it goes on', async () => {
  const client = await openStream();
  await until(() => expect(events(client)).toHaveLength(2));
  client.socket.pause();
  // Each is more than what lies between the two sockets can hold.
  const wide = minuteOf(
    0,
    Array.from({ length: 100_000 }, () => 1),
  );
  for (let index = 0; index < 5; index += 1) app.desk.closeMinute(wide);
  const stoppedAtMs = app.desk.state().nowMs;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  client.socket.resume();
  await until(() => {
    const newest = /"nowMs":(\d+)/.exec(client.text().slice(-4_000))?.[1];
    expect(Number(newest)).toBeGreaterThan(stoppedAtMs + 1_000);
  });
  // The first one blocks it; those behind it are left out.
  expect(client.text().split('event: minute').length - 1).toBe(1);
});

import { beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import {
  GATES_KEY,
  sellTickets,
  shareGatesListener,
  startGatesListener,
} from '../../../testing/gates/gates-listener.ts';
import { position, startPretixStandIn } from '../../../testing/gates/pretix-stand-in.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';
import { findListen } from '../../check/service-findings.ts';
import { formatEventTime } from '../../events/event-time.ts';
import { tryReadRunId } from '../../cli/database-id.ts';
import { DURATIONS } from '../limits.ts';

const pretix = openForAll(() => startPretixStandIn(DEFAULT_EVENT_ID));
const { database, listener } = shareGatesListener({ ...DURATIONS, sweepMs: 50 }, () => pretix.env);

beforeEach(async () => {
  await database.gates`delete from tickets`;
  await database.gates`delete from ticket_times`;
  await database.gates`delete from kept_readings`;
  await sellTickets(database, ['a', 'b']);
  Object.assign(pretix, { fault: undefined, delay: undefined });
  Object.assign(pretix.list, { subevent: null, include_pending: false });
  pretix.asked.length = 0;
  pretix.annulled.length = 0;
  for (const map of [pretix.instead, pretix.orders]) map.clear();
});

const CHECKIN = { organizer: 'clube', event: 'final', code: 'ABC12', action: 'pretix.event.checkin' };

async function post(
  body: unknown,
  { query = '', key = GATES_KEY, eventId = DEFAULT_EVENT_ID, url = listener.url } = {},
) {
  const response = await fetch(`${url}/events/${eventId}/pretix${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`pretix:${key}`).toString('base64')}`,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

async function readyWarning(url = listener.url): Promise<string | undefined> {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { warning?: string }).warning;
}

const order = (...positions: ReturnType<typeof position>[]) =>
  pretix.orders.set('ABC12', { status: 'p', positions });

async function tickets(): Promise<string[]> {
  const rows = await database.gates<{ text: string }[]>`
    select concat_ws('|', id, is_valid_ticket, entrou, setor) as text from tickets order by id`;
  return rows.map(({ text }) => text);
}

test('a webhook is answered once the ticket is what pretix says: entered, left, entered again, reverted', async () => {
  const entry = { datetime: '2025-03-26T20:15:00-03:00' };
  const exit = { datetime: '2025-03-26T23:30:00Z', type: 'exit' };
  const again = { datetime: '2025-03-26T23:45:00Z' };
  for (const [checkins, entered] of [
    [[entry], true],
    [[exit, entry], false],
    [[exit, again, entry], true],
    [[], false],
    [[{ list: 8 }], false],
  ] as const) {
    order(position('ABC12', 'a', checkins), position('ABC12', 'b'));
    expect((await post({ ...CHECKIN, type: 'entry' })).status).toBe(200);
    expect(await tickets()).toEqual([`a|t|${entered ? 't' : 'f'}|4`, 'b|t|f|4']);
  }
});

test.each([
  ['is cancelled', { status: 'c' }, {}],
  ['is not paid', { status: 'n', valid_if_pending: false }, {}],
  ['has the position cancelled', {}, { canceled: true }],
  ['has the position blocked', {}, { blocked: ['admin'] }],
])('a ticket is not valid whose order %s', async (_what, more, ofPosition) => {
  pretix.orders.set('ABC12', { status: 'p', ...more, positions: [position('ABC12', 'a', [], ofPosition)] });
  await post({ ...CHECKIN, action: 'pretix.event.order.changed.cancel' });
  expect(await tickets()).toEqual(['a|f|f|4', 'b|t|f|4']);
  pretix.orders.set('ABC12', { status: 'n', valid_if_pending: true, positions: [position('ABC12', 'a')] });
  await post({ ...CHECKIN, action: 'pretix.event.order.paid' });
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4']);
});

test('with ?create=true positions of the list become tickets, of the sector that the product names; others never', async () => {
  order(position('ABC12', 'c', [], { item: 9 }), position('ABC12', 'estacionamento', [], { item: 5 }));
  expect((await post(CHECKIN)).answer).toMatchObject({ messages: 1, kept: 1 });
  expect((await post(CHECKIN, { query: '?create=true' })).answer).toMatchObject({ messages: 1, created: 1 });
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4', 'c|t|f|9']);
});

test('a list of one date has no position of another, and one of pending orders takes them for valid', async () => {
  const of = (subevent: number, id: string) => position('ABC12', id, [{}], { subevent });
  pretix.orders.set('ABC12', { status: 'n', positions: [of(6, 'a'), of(6, 'c'), of(5, 'd')] });
  Object.assign(pretix.list, { subevent: 5, include_pending: true });
  // A listener reads the list at its first webhook.
  const other = await startGatesListener({ ...pretix.env, GATES_DATABASE_URL: database.gatesUrl });
  const posted = await post(CHECKIN, { url: other.url, query: '?create=true' });
  expect(posted.answer).toMatchObject({ messages: 1 });
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4', 'd|t|t|4']);
  await other.stop();
});

test('while pretix does not answer as documented, the answer is 503, and the next try is right', async () => {
  for (const fault of [500, 403, 429]) {
    pretix.fault = fault;
    expect(await post(CHECKIN)).toMatchObject({
      status: 503,
      answer: { detail: expect.stringContaining(`it answers ${fault}`) },
    });
  }
  pretix.fault = undefined;
  for (const other of [{ status: 'p' }, { status: 'p', positions: [{ id: 1, item: 4, secret: 'a' }] }]) {
    pretix.orders.set('ABC12', other as never);
    expect(await post(CHECKIN)).toMatchObject({
      status: 503,
      answer: { detail: expect.stringMatching(/another form than its documentation\. Nothing was changed/) },
    });
  }
  // Valid, and larger than any order.
  pretix.instead.set('orders/ABC12/', {
    status: 'p',
    positions: [position('ABC12', 'a', [{}])],
    padding: 'x'.repeat(16 * 2 ** 20),
  });
  expect(await post(CHECKIN)).toMatchObject({
    status: 503,
    answer: { detail: expect.stringContaining('its answer is larger than 4 MB') },
  });
  pretix.instead.clear();
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4']);
  order(position('ABC12', 'a', [{}]));
  expect((await post(CHECKIN)).answer).toMatchObject({ applied: 1 });
});

test('an order that pretix has no more is passed by and logged once, but not while its check-in list is not found', async () => {
  const gone = { ...CHECKIN, code: 'FOI12' };
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (let time = 0; time < 2; time += 1)
    expect(await post(gone)).toMatchObject({ status: 200, answer: { messages: 0 } });
  const lines = write.mock.calls.map(([line]) => String(line));
  expect(lines.filter((line) => line.includes('pretix has no order FOI12 any more'))).toHaveLength(1);
  pretix.fault = 404;
  expect((await post(gone)).status).toBe(503);
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4']);
});

test('a hundred orders that pretix has no more are logged, and the last line says that no other will be', async () => {
  const env = { ...pretix.env, GATES_DATABASE_URL: database.gatesUrl };
  const other = await startGatesListener(env);
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const codes = Array.from({ length: 101 }, (_, index) => `FOI${index}`);
  while (codes.length > 0) {
    const posted = codes.splice(0, 50).map((code) => post({ ...CHECKIN, code }, { url: other.url }));
    for (const { status } of await Promise.all(posted)) expect(status).toBe(200);
  }
  const lines = write.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('any more.'));
  expect(lines).toHaveLength(100);
  const said = lines.map((line) => line.includes('no other is named until "listen" starts again'));
  expect([said.indexOf(true), said.lastIndexOf(true)]).toEqual([99, 99]);
  await other.stop();
});

test('of an order one position of another form is left, and the others are written: the answer is 503', async () => {
  const bad = position('ABC12', 'a', [{ datetime: 'ontem' }]);
  order(bad, { ...bad, checkins: undefined as never }, null as never, position('ABC12', 'b', [{}]));
  expect(await post(CHECKIN)).toMatchObject({
    status: 503,
    answer: { detail: expect.stringContaining('The others are written') },
  });
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|t|4']);
  order(position('ABC12', 'a', [{}]), position('ABC12', 'b', [{}]));
  expect(await post(CHECKIN)).toMatchObject({ status: 200, answer: { applied: 1, unchanged: 1 } });
  expect(await tickets()).toEqual(['a|t|t|4', 'b|t|t|4']);
});

test.each([
  [401, /^it answers 401\. GATES_PRETIX_TOKEN must be/],
  [403, /^it answers 403\. GATES_PRETIX_TOKEN must be/],
  [404, /^it answers 404\. Bring pretix back, or correct GATES_PRETIX_URL$/],
  [0, /^other side closed\. Bring pretix back, or correct GATES_PRETIX_URL$/],
])('while pretix answers %s, /readyz and "check" name since when, cause and fix', async (fault, why) => {
  pretix.fault = fault;
  await until(async () => expect(await readyWarning()).toBeDefined());
  const warning = await readyWarning();
  const [, since = '', text] =
    /^Check-ins of pretix have not been taken since (\S+Z): (.*)$/.exec(warning ?? '') ?? [];
  expect(text).toMatch(why);
  expect(Date.now() - Date.parse(since)).toBeGreaterThanOrEqual(0);
  const { port } = new URL(listener.url);
  const zone = 'America/Manaus';
  const found = await findListen(
    { GATES_HTTP_PORT: port, GATES_HTTP_KEY: GATES_KEY },
    DEFAULT_EVENT_ID,
    {
      databaseId: await tryReadRunId(database.gates),
      tickets: 0,
      kept: 0,
      unknown: undefined,
    },
    zone,
  );
  const inZone = warning?.replace(since, formatEventTime(new Date(since), zone));
  expect(found).toEqual({ level: 'look', subject: 'listen', text: `it writes, but: ${inZone}` });
  // By the sweep.
  pretix.fault = undefined;
  await until(async () => expect(await readyWarning()).toBeUndefined());
});

test('a webhook that pretix answers ends the warning as well, and one that it leaves unanswered is given up', async () => {
  pretix.fault = 401;
  const env = { ...pretix.env, GATES_DATABASE_URL: database.gatesUrl };
  const other = await startGatesListener(env, { ...DURATIONS, pretixMs: 1_000 });
  const { url } = other;
  await until(async () => expect(await readyWarning(url)).toBeDefined());
  Object.assign(pretix, { fault: undefined, delay: () => new Promise(() => {}) });
  order(position('ABC12', 'a', [{}]));
  expect(await post(CHECKIN, { url })).toMatchObject({
    status: 503,
    answer: { detail: expect.stringContaining('no answer within 1 s') },
  });
  pretix.delay = undefined;
  await until(async () => expect((await post(CHECKIN, { url })).status).toBe(200));
  expect(await readyWarning(url)).toBeUndefined();
  expect(await tickets()).toContain('a|t|t|4');
  await other.stop();
});

test('webhooks of one order that come together end in what pretix says last, and share its answers', async () => {
  order(position('ABC12', 'a', [{}]));
  let answer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  pretix.delay = () => mayAnswer;
  const first = post(CHECKIN);
  await until(() => expect(pretix.asked).toHaveLength(1));
  order(position('ABC12', 'a'), position('ABC12', 'b', [{}]));
  const others = Array.from({ length: 20 }, () => post(CHECKIN));
  answer();
  for (const { status } of await Promise.all([first, ...others])) expect(status).toBe(200);
  expect(await tickets()).toEqual(['a|t|f|4', 'b|t|t|4']);
  expect(pretix.asked.length).toBeLessThan(15);
});

test('more orders than may be asked for at once are refused for now', async () => {
  let answer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  pretix.delay = () => mayAnswer;
  const codes = Array.from({ length: 50 }, (_, index) => `A${index}`);
  const posted = codes.map((code) => post({ ...CHECKIN, code }));
  await until(() => expect(pretix.asked).toHaveLength(50));
  expect(await post(CHECKIN)).toMatchObject({
    status: 503,
    answer: { detail: expect.stringContaining('Too many orders') },
  });
  answer();
  await Promise.all(posted);
});

test('an annulled check-in, of which pretix sends nothing, is found, also beyond the first page', async () => {
  order(position('ABC12', 'a', [{}]));
  await post(CHECKIN);
  expect(await tickets()).toContain('a|t|t|4');
  order(position('ABC12', 'a'));
  const datetime = '2025-03-26T23:15:00Z';
  // Pretix lists it, and has no such position.
  pretix.annulled.push({ id: 4, list: 7, datetime, position: 999 });
  for (const id of [1, 2, 3])
    pretix.annulled.push({ id, list: 7, datetime, position: position('ABC12', 'a').id });
  await until(async () => expect(await tickets()).toContain('a|t|f|4'));
  await until(() => expect(pretix.asked.length).toBeGreaterThanOrEqual(7));
});

test.each([
  ['orderpositions/197/', 10],
  ['orders/ABC12/', 20],
])(
  'while pretix answers 500 to %s, the annulled check-ins behind it are found; it is found after that',
  async (path, firstId) => {
    const [a, b] = [position('ABC12', 'a', [{}]), position('XYZ34', 'b', [{}])];
    for (const [code, one] of [
      ['ABC12', a],
      ['XYZ34', b],
    ] as const) {
      pretix.orders.set(code, { status: 'p', positions: [one] });
      await post({ ...CHECKIN, code });
    }
    pretix.instead.set(path, 500);
    for (const [index, one] of [a, b].entries()) {
      pretix.orders.set(one.order, { status: 'p', positions: [{ ...one, checkins: [] }] });
      const datetime = '2025-03-26T23:15:00Z';
      pretix.annulled.push({ id: firstId + index, list: 7, datetime, position: one.id });
    }
    await until(async () => expect(await tickets()).toEqual(['a|t|t|4', 'b|t|f|4']));
    expect(await readyWarning()).toBeUndefined();
    pretix.instead.clear();
    await until(async () => expect(await tickets()).toEqual(['a|t|f|4', 'b|t|f|4']));
  },
);

test('other events, and what changes no ticket, are answered, and not asked for', async () => {
  for (const more of [{ event: 'outra' }, { organizer: 'x' }, { action: 'pretix.event.changed' }])
    expect(await post({ ...CHECKIN, ...more })).toMatchObject({ status: 200, answer: { messages: 0 } });
  expect((await post({ ...CHECKIN, action: 'pretix.event.order.deleted' })).status).toBe(200);
  expect(pretix.asked).toEqual([]);
});

test.each([
  ['a path for a code', { ...CHECKIN, code: '../../../clube' }, {}, 422],
  ['a query for a code', { ...CHECKIN, code: 'A?x=1' }, {}, 422],
  ['no code', { ...CHECKIN, code: null }, {}, 422],
  ['no action', { code: 'ABC12' }, {}, 422],
  ['an array', [CHECKIN], {}, 422],
  ['1 MB', { ...CHECKIN, padding: 'x'.repeat(2 ** 20) }, {}, 413],
  ['a wrong key', CHECKIN, { key: `${GATES_KEY}x` }, 401],
  ['another event', CHECKIN, { eventId: 'b'.repeat(32) }, 404],
])('%s: pretix is not asked', async (_what, body, options, status) => {
  expect((await post(body, options)).status).toBe(status);
  expect(pretix.asked).toEqual([]);
});

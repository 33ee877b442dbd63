import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import type { LiveMessage } from '../domain/live-message.ts';
import { shortTimeline } from '../domain/log-position.ts';
import { createTestDatabase, insertTickets } from '../testing/database/database.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { fetchOpen, LIVE_PATH, openPageClient, postSignIn, signIn } from '../testing/browser/page-client.ts';
import { openRawClient, rawRequest, sendRaw } from '../testing/server/raw-client.ts';
import { EMAIL, KEY } from '../testing/server/server.ts';
import { readiness, startTestServer, untilReady } from '../testing/server/test-server.ts';
import { unhinderedNow, until } from '../testing/until.ts';

const COUNT = `/api/events/${DEFAULT_EVENT_ID}/tickets/count?isValidTicket=true`;

const database = openForAll(async () => {
  const made = await createTestDatabase({ inside: { a: '4' }, outside: { c: '8' } });
  await insertTickets(made.gates, [{ id: 'b', setor: '4', valid: false }]);
  return made;
});
const SETTINGS = { EVENT_TITLE: 'A <b> & "c"', TIME_ZONE: 'America/Manaus' };
const server = openForAll(() => startTestServer(database, SETTINGS));
const session = openForAll(async () => ({ cookie: await signIn(server.url) }));

beforeAll(() => untilReady(server));

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers });

/** Of a path as it is: fetch would resolve its dots before sending them. */
async function rawStatus(method: string, path: string): Promise<number | undefined> {
  const bytes = rawRequest(method, path, { ...session, connection: 'close' });
  const client = await sendRaw(server.url, bytes, { stays: true });
  return client.statuses()[0];
}

async function expectProblem(response: Response, status: number): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch('application/problem+json');
  expect(await response.json()).toMatchObject({ type: 'about:blank', status });
}

describe('the page', () => {
  test('carries title and event ID before any call, escaped, and is never taken from a cache unasked', async () => {
    const response = await get('/');
    const html = await response.text();
    expect(html).toContain('Triagem · A &lt;b&gt; &amp; &quot;c&quot;');
    expect(html).toContain(DEFAULT_EVENT_ID);
    expect(html).not.toMatch(/\{\{/);
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  test('is the same with a query', async () => {
    expect(await (await get('/?event=abc')).text()).toBe(await (await get('/')).text());
  });

  test.each([
    '/x',
    '/index.html',
    '/static/',
    '/static/../index.html',
    '/static/%2e%2e/index.html',
    '/static/..%2f..%2fpackage.json',
    '/static/js/',
    '/.env',
    '//',
    '/api',
  ])('has no neighbour at %s', async (path) => expect(await rawStatus('GET', path)).toBe(404));

  test('takes its account from /config.json, which no cache keeps', async () => {
    const response = await get('/config.json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ eventId: DEFAULT_EVENT_ID, email: EMAIL, key: KEY });
  });
});

describe('signing in', () => {
  test('with the right key gives a session that scripts and other sites cannot use', async () => {
    const response = await postSignIn(server.url);
    expect(response.status).toBe(204);
    const header = response.headers.get('set-cookie') ?? '';
    expect(header).toMatch(/HttpOnly/);
    expect(header).toMatch(/SameSite=Strict/);
    expect(header).toMatch(/Max-Age=43200/);
    expect(header).not.toMatch(/Secure/);
  });
});

describe('invariant 7: without a session there are no counts', () => {
  const paths = [LIVE_PATH, COUNT];

  test.each(paths)('%s is 401 without a cookie', async (path) => expectProblem(await get(path), 401));

  test.each(paths)('%s is 401 with a forged, cut or foreign cookie', async (path) => {
    const [name = '', token = ''] = session.cookie.split('=');
    const [endsAt = '', signature = ''] = token.split('.');
    const later = (Number.parseInt(endsAt, 36) + 1_000).toString(36);
    const cut = [token.slice(0, -1), endsAt, `${endsAt}.`, `.${signature}`];
    for (const value of [`${later}.${signature}`, ...cut, 'x', ''])
      await expectProblem(await get(path, { cookie: `${name}=${value}` }), 401);
  });
});

/** Fails unless these messages tell the clock of the server, now or a little ago, as in Manaus. */
function expectClock(messages: readonly LiveMessage[]): void {
  for (const message of messages) {
    const clock = 'clock' in message ? message.clock : undefined;
    expect(clock?.utcOffsetMs).toBe(-4 * 3_600_000);
    expect(Math.abs(Date.now() - (clock?.unixMs ?? Number.NaN))).toBeLessThan(60_000);
  }
}

describe('the live stream', () => {
  test('begins with the build, then gives the whole state', async () => {
    const viewer = await openPageClient(server.url);
    await until(() => expect(viewer.messages.length).toBeGreaterThanOrEqual(4));
    const first = viewer.messages.slice(0, 4).map(({ event }) => event);
    expect(first).toEqual(['build', 'counts', 'source', 'sectors']);
    expect(viewer.counts).toMatchObject({ total: 1, others: 0 });
    expectClock(viewer.messages.slice(0, 1));
  });

  test('says that no proxy may keep or change it', async () => {
    const { headers } = await fetchOpen(`${server.url}${LIVE_PATH}`, session);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('beats every five seconds while nothing happens', async () => {
    const viewer = await openPageClient(server.url);
    const beats = (): LiveMessage[] => viewer.messages.filter(({ event }) => event === 'heartbeat');
    await until(() => expect(beats().length).toBe(2), 12_000);
    expectClock(beats());
  });

  test('is plain to a proxy that speaks HTTP/1.0', async () => {
    const client = await openRawClient(server.url);
    client.write(rawRequest('GET', LIVE_PATH, session).replace('HTTP/1.1', 'HTTP/1.0'));
    await until(() => expect(client.text()).toContain('event: sectors'));
    expect(client.text().split('\r\n\r\n')[1]).toMatch(/^event: build\ndata: /);
  });

  test('costs at most 1.5 KB until the first counts are there', async () => {
    const viewer = await openPageClient(server.url);
    await until(() => expect(viewer.counts).toBeDefined());
    expect(JSON.stringify(viewer.messages).length).toBeLessThan(1_500);
  });

  test('ends when the server stops', async () => {
    const other = await startTestServer(database);
    const viewer = await openPageClient(other.url);
    const startMs = unhinderedNow();
    await other.stop();
    await until(() => expect(viewer.ended).toBe(true));
    expect(unhinderedNow() - startMs).toBeLessThan(3_000);
  });
});

describe('the count of valid tickets', () => {
  test('is one number', async () => {
    const response = await get(COUNT, session);
    expect(await response.json()).toEqual({ count: 2 });
  });

  test('is all that can be counted', async () => {
    for (const other of [COUNT.replace('true', 'false'), `${COUNT}&setor=4`])
      await expectProblem(await get(other, session), 400);
  });
});

test('/healthz and /readyz say how it is', async () => {
  expect(await (await get('/healthz')).json()).toEqual({ status: 'alive' });
  expect(await (await get('/readyz')).json()).toEqual({ status: 'observing' });
});

test('a screen that has seen a later timeline is warned of in /readyz', async () => {
  const other = await startTestServer(database, SETTINGS);
  await untilReady(other);
  const [{ system }] = await database.admin<[{ system: string }]>`
    select system_identifier::text as system from pg_control_system()`;
  const seen = shortTimeline(system, 'R0000000100000001');
  const cookie = await signIn(other.url);
  const stream = await fetch(`${other.url}${LIVE_PATH}?seen=${seen}`, { headers: { cookie } });
  await stream.body?.cancel();
  expect((await readiness(other)).text).toMatch(
    /"observing".*Screens have seen a later timeline of this database/,
  );
});

test('no method but GET and the sign-in POST is answered', async () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS']) {
    for (const path of ['/', '/config.json', LIVE_PATH, COUNT]) {
      expect([method, path, await rawStatus(method, path)]).toEqual([method, path, 404]);
    }
  }
});

test('a port that is taken is named', async () => {
  const port = new URL(server.url).port;
  await expect(startTestServer(database, { PORT: port })).rejects.toThrow(
    `PORT ${port} is taken by process ${process.pid} (`,
  );
});

test('a HOST that is a name is one address: no second server without the limits of the first', async () => {
  const named = await startTestServer(database, { HOST: 'localhost' });
  const { port } = new URL(named.url);
  const answers = await Promise.allSettled(
    ['127.0.0.1', '[::1]'].map((address) => fetch(`http://${address}:${port}/healthz`)),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

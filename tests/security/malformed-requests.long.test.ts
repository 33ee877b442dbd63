import fc from 'fast-check';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { repetitions } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, openPageClient } from '../../testing/browser/page-client.ts';
import { openRawClient, type RawClient, rawRequest } from '../../testing/server/raw-client.ts';
import { EMAIL } from '../../testing/server/server.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const SEED = 20_250_326;
const REQUESTS = repetitions(10_000, 500);
const AT_A_TIME = 40;
const PATIENCE_MS = 50;
const HALF_OPEN = repetitions(1_000, 100);

const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
// The durations of the field: half-open connections go within ten seconds, and no viewer of a busy machine before.
const server = openForAll(() => startTestServer(database));
const viewer = openForAll(() => openPageClient(server.url));

/** The screen that was open all the time follows, and a new one gets in. */
async function expectLive(entrou: boolean): Promise<void> {
  await setEntered(database.gates, 'a', entrou);
  const another = await openPageClient(server.url);
  for (const client of [viewer, another]) {
    await until(() => expect([client.live, client.counts?.total]).toEqual([true, entrou ? 1 : 0]));
  }
  another.leave();
  expect(viewer.ended).toBe(false);
}

const junk = fc.oneof(
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);
const method = fc.oneof(
  fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'CONNECT', 'OPTIONS', 'TRACE', 'PRI', 'get', 'QUERY', ''),
  junk,
);
const path = fc.oneof(
  fc.constantFrom('/', '*', '/api/sign-in', '/config.json', '/static/js/'),
  fc.constantFrom('/%zz', '/..%2f', '//', 'http://', '\\'),
  fc
    .constantFrom('live', 'tickets/count?isValidTicket=true', '%00')
    .map((end) => `/api/events/${DEFAULT_EVENT_ID}/${end}`),
  junk.map((text) => `/${text}`),
  fc.nat(10_000).map((length) => `/${'a'.repeat(length)}`),
);
const version = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTP/1.1', 'HTTP/1.1 x', '');
const header = fc.oneof(
  fc.constantFrom(
    'host: x',
    'host: x\r\nhost: y',
    'content-length: 5',
    'content-length: -1',
    'content-length: 99999999999999999999',
    'content-length: 1\r\ncontent-length: 2',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'transfer-encoding: chunked\r\ncontent-length: 3',
    'content-type: application/json',
    'content-type: application/json; charset=x; =',
    'connection: upgrade\r\nupgrade: websocket',
    'connection: upgrade, http2-settings\r\nupgrade: h2c',
    'expect: 100-continue',
    'expect: nothing',
    'accept-version: 1',
    'cookie: triagem_session=a.b',
    'cookie: =; ;;==; triagem_session=%zz',
    ' folded: x',
    'no colon',
    ': no name',
    'range: bytes=9999999-1',
    'if-modified-since: never',
  ),
  fc.tuple(junk, junk).map(([name, value]) => `${name}: ${value}`),
  fc.nat(9_000).map((length) => `x: ${'y'.repeat(length)}`),
);
const body = fc.oneof(
  fc.constantFrom('', '5\r\nhello\r\n', 'zz\r\n', '-1\r\n\r\n', 'ffffffffffffffff\r\n'),
  fc.constantFrom('{"email":', '[[[[[[[[[['),
  fc.json(),
  junk,
);
const BODY = JSON.stringify({ email: EMAIL, key: 'wrong' });
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const JSON_BODY = { 'content-type': 'application/json' };
const LENGTH = String(BODY.length);
const WELL_FORMED = [
  rawRequest('GET', '/'),
  'GET /healthz?a=b HTTP/1.0\r\n\r\n',
  rawRequest('HEAD', '/static/image/favicon.svg', { range: 'bytes=0-9' }),
  rawRequest('GET', LIVE_PATH, { cookie: 'triagem_session=m1.x' }),
  rawRequest('POST', '/api/sign-in', { ...JSON_BODY, 'content-length': LENGTH }, BODY),
  rawRequest('POST', '/api/sign-in', { ...JSON_BODY, 'transfer-encoding': 'chunked' }, CHUNKED),
];
/** Replaces a piece of the text, which may be empty, by junk, which may be. */
const mutation = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(8), by: junk });
const headers = fc.array(header, { maxLength: 6 });
const built = fc
  .tuple(method, path, version, headers, fc.constantFrom('\r\n', '\n', '\r'), body)
  .map(([verb, target, protocol, lines, end, rest]) =>
    [`${verb} ${target} ${protocol}`, ...lines, '', rest].join(end),
  );
const mutated = fc
  .tuple(fc.constantFrom(...WELL_FORMED), fc.array(mutation, { maxLength: 3 }))
  .map(([text, mutations]) =>
    mutations.reduce((now, { at, length, by }) => {
      const start = Math.floor(at * now.length);
      return now.slice(0, start) + by + now.slice(start + length);
    }, text),
  );
const request = fc.oneof(
  { weight: 1, arbitrary: junk },
  { weight: 3, arbitrary: built },
  { weight: 6, arbitrary: mutated },
);

/** Sends the bytes and, when they were answered or seem to be too few for that, says that no more will come. */
async function exchange(bytes: string): Promise<RawClient> {
  const client = await openRawClient(server.url);
  const closed = once(client.socket, 'close');
  client.write(Buffer.from(bytes, 'latin1'));
  const answered = once(client.socket, 'data').catch(() => {});
  await Promise.race([answered, closed, pause(PATIENCE_MS)]);
  client.socket.end();
  const cut = setTimeout(() => client.leave(), 10_000);
  await closed;
  clearTimeout(cut);
  return client;
}

test(`${REQUESTS} malformed requests get an answer below 500 or none, and leave the board live`, async () => {
  const requests = fc.sample(request, { seed: SEED, numRuns: REQUESTS });
  const statuses = new Map<number | undefined, number>();
  const failures: { bytes: string; answer: string }[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let bytes = requests[next++]; bytes !== undefined; bytes = requests[next++]) {
        const client = await exchange(bytes);
        const [status] = client.statuses();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== undefined && status >= 500) failures.push({ bytes, answer: client.text() });
      }
    }),
  );
  expect(failures).toEqual([]);
  // It did reach the routes, the router and the parser.
  for (const status of [200, 400, 401, 429, 431]) expect([...statuses.keys()]).toContain(status);
  await expectLive(true);
  expect(JSON.stringify(server.logged)).not.toContain('request failed');
});

test(`${HALF_OPEN} half-open connections leave the board live, and are cut off`, async () => {
  const halfABody = rawRequest(
    'POST',
    '/api/sign-in',
    { ...JSON_BODY, 'content-length': '900' },
    '{"email":',
  );
  const beginnings = ['', 'GET / HTTP/1.1\r\nhost: x\r\nx-', halfABody];
  const clients: RawClient[] = [];
  for (let index = 0; index < HALF_OPEN; index += 1) {
    const client = await openRawClient(server.url);
    client.write(beginnings[index % beginnings.length] ?? '');
    clients.push(client);
  }
  await expectLive(false);
  await expectLive(true);
  await until(() => expect(clients.filter((client) => !client.closed())).toHaveLength(0), 40_000);
  await expectLive(false);
});

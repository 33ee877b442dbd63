import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../board/http/http-limits.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, signIn } from '../../testing/browser/page-client.ts';
import { openRawClient, type RawClient, rawRequest, sendRaw } from '../../testing/server/raw-client.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

/** Each server has one kind of limit that is short: a busy machine must not let another one end the connection first. */
const SHORT_FOR_REQUESTS = { ...HTTP_LIMITS, headersMs: 700, requestMs: 1_400, checkEveryMs: 100 };
const SHORT_FOR_THE_IDLE = { ...HTTP_LIMITS, idleMs: 3_000 };
const DRIP_LIMIT_MS = 20_000;
/** Their answers are more than what lies between the two sockets can hold. */
const REQUESTS = 8_000;
const JSON_BODY = { 'content-type': 'application/json' };

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database, {}, { httpLimits: SHORT_FOR_THE_IDLE }));
const hasty = openForAll(() => startTestServer(database, {}, { httpLimits: SHORT_FOR_REQUESTS }));
const session = openForAll(async () => ({ cookie: await signIn(server.url) }));

/** What servers of this process have accepted, by the client's port. */
const accepted = new Map<number | undefined, Socket>();
const noteAccepted = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};

beforeAll(() => subscribe('net.server.socket', noteAccepted));
afterAll(() => void unsubscribe('net.server.socket', noteAccepted));

/**
 * Waits for the server to close its end, which a client that reads nothing need not notice; then reads what came.
 * `localPort` was read while the client was connected: a socket that notices has none.
 */
async function expectCutOff(client: RawClient, localPort: number | undefined): Promise<void> {
  await until(() => expect(accepted.get(localPort)?.destroyed).toBe(true));
  client.socket.resume();
  await expectClosed(client);
}

function expectClosed(client: RawClient): Promise<void> {
  return until(() => expect(client.closed()).toBe(true));
}

/** The stream of a session, from its first counts on. */
async function openStream(): Promise<RawClient> {
  const client = await openRawClient(server.url);
  client.get(LIVE_PATH, session);
  await until(() => expect(client.text()).toContain('event: counts'));
  return client;
}

/** Sends one byte after the other, slowly, until it is cut off, or has got away with it. */
async function drip(client: RawClient, byte: string): Promise<void> {
  const startMs = performance.now();
  while (!client.closed() && performance.now() - startMs < DRIP_LIMIT_MS) {
    client.write(byte);
    await pause(50);
  }
}

function signInRequest(headers: Record<string, string>, body = ''): string {
  return rawRequest('POST', '/api/sign-in', headers, body);
}

test('in use, headers must be there in 5 s and a request in 10 s, to a second', () => {
  expect(HTTP_LIMITS).toEqual({ headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000, idleMs: 30_000 });
});

describe('cut off is', () => {
  test('who connects and says nothing', async () => {
    const client = await openRawClient(hasty.url);
    await expectClosed(client);
  });

  test('who sends headers byte by byte, however long a request may take', async () => {
    const httpLimits = { ...SHORT_FOR_REQUESTS, requestMs: 600_000 };
    const patient = await startTestServer(database, {}, { httpLimits });
    const client = await openRawClient(patient.url);
    client.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
    await drip(client, 'y');
    expect(client.statuses()).toEqual([408]);
  });

  test('who sends a body byte by byte, with a length or in chunks', async () => {
    const dripBody = async (headers: Record<string, string>, part: string): Promise<void> => {
      const client = await openRawClient(hasty.url);
      client.write(signInRequest({ ...JSON_BODY, ...headers }));
      await drip(client, part);
      expect(client.statuses()).toEqual([408]);
    };
    await dripBody({ 'content-length': '1000' }, ' ');
    await dripBody({ 'transfer-encoding': 'chunked' }, '1\r\n \r\n');
  });

  test('who asks for much and reads nothing', async () => {
    // More than what lies between the two sockets can hold.
    const bytes = 30_000_000;
    const webRoot = makeTestFolder({ 'index.html': '', 'static/large.js': Buffer.alloc(bytes, ' ') });
    const large = await startTestServer(database, {}, { httpLimits: SHORT_FOR_THE_IDLE, webRoot });
    const client = await openRawClient(large.url);
    const { localPort } = client.socket;
    client.socket.pause();
    client.get('/static/large.js');
    await expectCutOff(client, localPort);
    expect(client.statuses()).toEqual([200]);
    expect(client.text().length).toBeLessThan(bytes);
  });

  test('who sends one request after the other and reads no answer', async () => {
    const client = await openRawClient(server.url);
    const { localPort } = client.socket;
    client.socket.pause();
    client.write(rawRequest('GET', '/').repeat(REQUESTS));
    await expectCutOff(client, localPort);
    expect(client.statuses().length).toBeLessThan(REQUESTS);
  });

  test('who sends more requests on the connection of a stream', async () => {
    const client = await openStream();
    client.get('/healthz');
    await expectClosed(client);
    expect(client.statuses()).toEqual([200]);
  });

  test('who sends two requests for a stream in one breath', async () => {
    const client = await openRawClient(server.url);
    client.write(rawRequest('GET', LIVE_PATH, session).repeat(50));
    await expectClosed(client);
  });

  test('who sends a stream something that is no request, without an answer in its midst', async () => {
    const client = await openStream();
    client.write('\0\0\0\0\r\n\r\n');
    await expectClosed(client);
    expect(client.statuses()).toEqual([200]);
  });
});

test('a stream is not cut off for being quiet', async () => {
  const client = await openStream();
  await until(() => expect(client.text()).toContain('event: heartbeat'), 20_000);
  expect(client.closed()).toBe(false);
});

const CHUNKED = { 'transfer-encoding': 'chunked' };
const A_MEGABYTE = { 'content-length': '1000000' };

test.each([
  ['a request line of 9 KB', rawRequest('GET', `/${'x'.repeat(9_000)}`), 431],
  ['a header of 9 KB', rawRequest('GET', '/', { x: 'y'.repeat(9_000) }), 431],
  ['9 KB of headers', `GET / HTTP/1.1\r\nhost: x\r\n${'x-small: header\r\n'.repeat(700)}\r\n`, 431],
  ['a body of a gigabyte', signInRequest({ ...JSON_BODY, 'content-length': '1000000000' }, '{'), 413],
  ['a body to a GET', rawRequest('GET', '/healthz', A_MEGABYTE, 'xxx'), 400],
  ['a body to a stream', rawRequest('GET', LIVE_PATH, { cookie: 'a=b', ...CHUNKED }), 400],
  ['a body to nowhere', rawRequest('POST', '/x', A_MEGABYTE, 'xxx'), 404],
  ['a length and chunks', signInRequest({ 'content-length': '1', ...CHUNKED }, '0\r\n\r\n'), 400],
  ['two lengths', signInRequest({ 'content-length': '1\r\ncontent-length: 2' }, '{}'), 400],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
])('%s is refused, and the connection closed', async (_what, bytes, status) => {
  const client = await sendRaw(server.url, bytes, { stays: true, limitMs: 30_000 });
  expect(client.statuses()).toEqual([status]);
});

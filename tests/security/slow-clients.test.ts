import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { HTTP_LIMITS } from '../../server/http/http-limits.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { signIn } from '../../testing/page-client.ts';
import { openRawClient, type RawClient, sendRaw } from '../../testing/raw-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const LIVE = `/api/events/${DEFAULT_EVENT_ID}/live`;
/** Each server has one kind of limit that is short: a busy machine must not let another one end the connection first. */
const SHORT_FOR_REQUESTS = { ...HTTP_LIMITS, headersMs: 700, requestMs: 1_400, checkEveryMs: 100 };
const SHORT_FOR_THE_IDLE = { ...HTTP_LIMITS, idleMs: 3_000 };
const DRIP_LIMIT_MS = 20_000;
const HEAD = 'host: x\r\ncontent-type: application/json\r\n';

let database: TestDatabase;
let server: TestServer;
let hasty: TestServer;
let cookie: string;

/** What servers of this process have accepted, by the client's port. */
const accepted = new Map<number | undefined, Socket>();
const noteAccepted = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};

beforeAll(async () => {
  subscribe('net.server.socket', noteAccepted);
  database = await createTestDatabase();
  server = await startTestServer(database, {}, { httpLimits: SHORT_FOR_THE_IDLE });
  hasty = await startTestServer(database, {}, { httpLimits: SHORT_FOR_REQUESTS });
  cookie = await signIn(server.url);
});

afterAll(async () => {
  unsubscribe('net.server.socket', noteAccepted);
  await Promise.all([server?.stop(), hasty?.stop()]);
});

/** Waits for the server to close its end: a client that reads nothing does not notice. */
async function untilCutOff({ socket: { localPort } }: RawClient): Promise<void> {
  await until(() => expect(accepted.get(localPort)?.destroyed).toBe(true));
}

/** Sends one byte after the other, slowly, until it is cut off, or has got away with it. */
async function drip(client: RawClient, byte: string): Promise<void> {
  const startMs = performance.now();
  while (!client.closed() && performance.now() - startMs < DRIP_LIMIT_MS) {
    client.write(byte);
    await pause(50);
  }
}

test('in use, headers must be there in 5 s and a request in 10 s, to a second', () => {
  expect(HTTP_LIMITS).toEqual({ headersMs: 5_000, requestMs: 10_000, checkEveryMs: 1_000, idleMs: 30_000 });
});

describe('cut off is', () => {
  test('who connects and says nothing', async () => {
    const client = await openRawClient(hasty.url);
    await until(() => expect(client.closed()).toBe(true));
  });

  test('who sends headers byte by byte, however long a request may take', async () => {
    const httpLimits = { ...SHORT_FOR_REQUESTS, requestMs: 600_000 };
    const patient = await startTestServer(database, {}, { httpLimits });
    try {
      const client = await openRawClient(patient.url);
      client.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
      await drip(client, 'y');
      expect(client.statuses()).toEqual([408]);
    } finally {
      await patient.stop();
    }
  });

  test('who sends a body byte by byte, with a length or in chunks', async () => {
    for (const [length, part] of [
      ['content-length: 1000', ' '],
      ['transfer-encoding: chunked', '1\r\n \r\n'],
    ] as const) {
      const client = await openRawClient(hasty.url);
      client.write(`POST /api/sign-in HTTP/1.1\r\n${HEAD}${length}\r\n\r\n`);
      await drip(client, part);
      expect(client.statuses()).toEqual([408]);
    }
  });

  test('who asks for much and reads nothing', async () => {
    // More than what lies between the two sockets can hold.
    const bytes = 30_000_000;
    const webRoot = mkdtempSync(join(tmpdir(), 'triagem-large-'));
    mkdirSync(join(webRoot, 'static'));
    writeFileSync(join(webRoot, 'index.html'), '');
    writeFileSync(join(webRoot, 'static/large.js'), Buffer.alloc(bytes, ' '));
    const large = await startTestServer(database, {}, { httpLimits: SHORT_FOR_THE_IDLE, webRoot });
    try {
      const client = await openRawClient(large.url);
      client.socket.pause();
      client.write('GET /static/large.js HTTP/1.1\r\nhost: x\r\n\r\n');
      await untilCutOff(client);
      client.socket.resume();
      await until(() => expect(client.closed()).toBe(true));
      expect(client.statuses()).toEqual([200]);
      expect(client.text().length).toBeLessThan(bytes);
    } finally {
      await large.stop();
      rmSync(webRoot, { recursive: true });
    }
  });

  test('who sends one request after the other and reads no answer', async () => {
    const client = await openRawClient(server.url);
    client.socket.pause();
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20_000));
    await untilCutOff(client);
    client.socket.resume();
    await until(() => expect(client.closed()).toBe(true));
    expect(client.statuses().length).toBeLessThan(20_000);
  });

  test('who sends more requests on the connection of a stream', async () => {
    const client = await openRawClient(server.url);
    client.write(`GET ${LIVE} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
    await until(() => expect(client.text()).toContain('event: counts'));
    client.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => expect(client.closed()).toBe(true));
    expect(client.statuses()).toEqual([200]);
  });

  test('who sends two requests for a stream in one breath', async () => {
    const request = `GET ${LIVE} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`;
    const client = await openRawClient(server.url);
    client.write(request.repeat(50));
    await until(() => expect(client.closed()).toBe(true));
  });

  test('who sends a stream something that is no request, without an answer in its midst', async () => {
    const client = await openRawClient(server.url);
    client.write(`GET ${LIVE} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
    await until(() => expect(client.text()).toContain('event: counts'));
    client.write('\0\0\0\0\r\n\r\n');
    await until(() => expect(client.closed()).toBe(true));
    expect(client.statuses()).toEqual([200]);
  });
});

test('a stream is not cut off for being quiet', async () => {
  const client = await openRawClient(server.url);
  client.write(`GET ${LIVE} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
  await until(() => expect(client.text()).toContain('event: heartbeat'), 20_000);
  expect(client.closed()).toBe(false);
  client.leave();
});

test.each([
  ['a request line of 9 KB', `GET /${'x'.repeat(9_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ['a header of 9 KB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`, 431],
  ['9 KB of headers', `GET / HTTP/1.1\r\nhost: x\r\n${'x-small: header\r\n'.repeat(700)}\r\n`, 431],
  ['a body of a gigabyte', `POST /api/sign-in HTTP/1.1\r\n${HEAD}content-length: 1000000000\r\n\r\n{`, 413],
  ['a body to a GET', 'GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nxxx', 400],
  [
    'a body to a stream',
    `GET ${LIVE} HTTP/1.1\r\nhost: x\r\ncookie: a=b\r\ntransfer-encoding: chunked\r\n\r\n`,
    400,
  ],
  ['a body to nowhere', 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nxxx', 404],
  [
    'a length and chunks',
    'POST /api/sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'two lengths',
    'POST /api/sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
    400,
  ],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
])('%s is refused, and the connection closed', async (_what, bytes, status) => {
  const client = await sendRaw(server.url, bytes, { stays: true, limitMs: 30_000 });
  expect(client.statuses()).toEqual([status]);
});

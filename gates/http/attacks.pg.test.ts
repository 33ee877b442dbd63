import { gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import {
  GATES_KEY,
  type GatesListener,
  sellTickets,
  shareGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { openRawClient, sendRaw } from '../../testing/server/raw-client.ts';
import { until } from '../../testing/until.ts';
import { MAX_BODY_BYTES } from './limits.ts';

const { database, listener } = shareGatesListener();

beforeAll(() => sellTickets(database, ['a']));

afterAll(async () => {
  // It still works, whatever was sent.
  expect((await listener.post({ id: 'a', setor: '9' })).answer['applied']).toBe(1);
  const rows = await database.gates`select id, is_valid_ticket, entrou, setor from tickets`;
  expect(rows).toEqual([{ id: 'a', is_valid_ticket: true, entrou: false, setor: '9' }]);
});

const HEAD = `POST /events/${DEFAULT_EVENT_ID}/tickets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${GATES_KEY}\r\n`;

async function expectProblem(
  posted: Promise<{ status: number; answer: unknown }>,
  status: number,
): Promise<string> {
  const { status: given, answer } = await posted;
  expect([given, answer]).toEqual([status, expect.objectContaining({ type: 'about:blank', status })]);
  return (answer as { detail: string }).detail;
}

test.each([
  ['no key', {}],
  ['a wrong key', { authorization: `Bearer ${GATES_KEY}x` }],
  ['another scheme', { authorization: `Basic ${GATES_KEY}` }],
  ['no scheme', { authorization: GATES_KEY }],
  ['two keys', { authorization: `Bearer ${GATES_KEY} ${GATES_KEY}` }],
])('%s: 401, and what to send', async (_what, headers) => {
  const response = await fetch(`${listener.url}/events/${DEFAULT_EVENT_ID}/tickets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"id":"a","entrou":true}',
  });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="triagem gates"');
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
});

test('after ten wrong keys in a minute: 429; the right one is let in all the same', async () => {
  const guess = (): ReturnType<GatesListener['post']> =>
    listener.post({ id: 'a', entrou: true }, { headers: { authorization: 'Bearer guessed' } });
  let last = await guess();
  for (let time = 0; time < 10; time += 1) last = await guess();
  expect(last.status).toBe(429);
  expect(last.answer['detail']).toMatch(/: wait a minute, then send again, with the right key\.$/);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await listener.post([])).status).toBe(200);
});

test('a body is not read before the key is: one without it is cut off', async () => {
  const client = await sendRaw(
    listener.url,
    `${HEAD.replace(GATES_KEY, 'wrong')}content-type: application/json\r\ncontent-length: 10000000\r\n\r\n[`,
    { stays: true },
  );
  expect(client.statuses()[0]).toBeOneOf([401, 429]);
});

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/json; charset=utf-8', 422],
  ['APPLICATION/X-NDJSON', 422],
  ['application/ndjson', 422],
])('content of type %s: %i', async (type, status) => {
  await expectProblem(listener.post('{', { headers: { 'content-type': type } }), status);
});

test('the answer to no content, and to content of no type, names the types', async () => {
  for (const content of ['\r\n', 'content-length: 2\r\n\r\n{}']) {
    const client = await sendRaw(listener.url, `${HEAD}connection: close\r\n${content}`, { stays: true });
    expect(client.statuses()[0]).toBe(415);
    expect(client.text()).toContain('application/x-ndjson');
  }
});

test('compressed content is not read', async () => {
  const detail = await expectProblem(
    listener.post(gzipSync(Buffer.alloc(50 * 2 ** 20, ' ')), { headers: { 'content-encoding': 'gzip' } }),
    415,
  );
  expect(detail).toMatch(/compressed/);
});

test('16 MB are read, and a byte more is refused, whether or not its length is sent first', async () => {
  const line = '{"id":"a","entrou":false}';
  const body = Buffer.alloc(MAX_BODY_BYTES, ' ');
  body.write(line);
  expect((await listener.post(body)).status).toBe(422);
  for (let end = 4_000; end < body.length; end += 4_000) body.write('\n', end);
  expect((await listener.post(body)).answer).toMatchObject({ messages: 1, unchanged: 1 });
  const json = { headers: { 'content-type': 'application/json' } };
  const array = Buffer.from(body);
  array.write(`[${line}`);
  array.write(']', array.length - 1);
  expect((await listener.post(array, json)).status).toBe(422);
  const head = `${HEAD}content-type: application/x-ndjson\r\n`;
  const announced = await sendRaw(listener.url, `${head}content-length: ${MAX_BODY_BYTES + 1}\r\n\r\n`, {
    stays: true,
  });
  expect(announced.statuses()).toEqual([413]);
  const client = await openRawClient(listener.url);
  client.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const chunk = body.subarray(2 ** 20, 2 ** 21);
  for (let sent = 0; sent <= 16 && !client.closed(); sent += 1) {
    client.write('100000\r\n');
    client.write(chunk);
    client.write('\r\n');
    await pause(5);
  }
  await until(() => expect(client.closed()).toBe(true));
  expect(client.statuses()).toEqual([413]);
});

test('a line without an end, and any depth, are refused, and hold no memory', async () => {
  const detail = async (body: string, type = 'application/x-ndjson'): Promise<unknown> => {
    const { status, answer } = await listener.post(body, { headers: { 'content-type': type } });
    expect(status).toBe(422);
    return (answer['errors'] as { detail: string }[])[0]?.detail;
  };
  const before = process.memoryUsage().arrayBuffers;
  expect(await detail('x'.repeat(8 * 2 ** 20))).toBe('it is longer than 4096 bytes');
  expect(await detail('['.repeat(4 * 2 ** 20), 'application/json')).toBe('the array is not closed');
  expect(await detail(`[${'{"id":'.repeat(500_000)}`, 'application/json')).toBe('the array is not closed');
  expect(await detail(`[${'[1],'.repeat(100_000)}1]`, 'application/json')).toBe('it is no JSON object');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
});

test('an answer about a body of nothing but faults, or of nothing new, stays small', async () => {
  const faults = await listener.post('{}\n'.repeat(100_000));
  expect(faults.answer['errorCount']).toBe(100_000);
  expect(faults.answer['detail']).toMatch('100000 messages are wrong');
  expect(faults.answer['errors']).toHaveLength(20);
  const same = await listener.post('{"id":"a","entrou":false}\n'.repeat(20_000));
  expect(same.answer).toMatchObject({ unchanged: 20_000, withoutEffectOmitted: 19_000 });
  expect(same.answer['withoutEffect']).toHaveLength(1_000);
});

test.each([
  ['?create=yes', 400],
  ['?create=true&create=false', 400],
  ['?craete=true', 400],
  ['?create=', 400],
  ['?__proto__=true', 400],
])('a query of %s: %i', async (query, status) => {
  await expectProblem(listener.post({ id: 'a', entrou: true }, { query }), status);
});

test.each(['x', 'g'.repeat(32), 'a'.repeat(33), 'a'.repeat(5_000), '%00', '..%2f..', "a' or '1'='1"])(
  'what is no event ID is not there (%#)',
  async (eventId) => {
    await expectProblem(listener.post({ id: 'a', entrou: true }, { eventId }), 404);
  },
);

test('what else is asked for is not there, and no other site may ask', async () => {
  for (const [method, path, status] of [
    ['GET', `/events/${DEFAULT_EVENT_ID}/tickets`, 405],
    ['DELETE', `/events/${DEFAULT_EVENT_ID}/tickets`, 405],
    ['OPTIONS', `/events/${DEFAULT_EVENT_ID}/tickets`, 405],
    ['GET', '/', 404],
    ['POST', '/openapi.json', 404],
  ] as const) {
    const response = await fetch(`${listener.url}${path}`, {
      method,
      headers: { origin: 'https://other.example' },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test.each([
  ['bytes that are no HTTP', '\x16\x03\x01\x02\x00\x01', 400],
  ['two lengths', `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
  ['a length and chunks', `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  [
    'chunks that are none',
    `${HEAD}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
  ['a header that is too large', `${HEAD}x: ${'y'.repeat(9_000)}\r\n\r\n`, 431],
  ['a path that cannot be read', HEAD.replace('/tickets', '/%zz') + '\r\n', 400],
])('%s: answered, and closed', async (_what, bytes, status) => {
  const client = await sendRaw(listener.url, bytes, { stays: true, limitMs: 3_000 });
  expect(client.statuses()[0]).toBe(status);
  expect(client.text()).not.toMatch(/\n {4}at /);
});

test('a client that goes away in the middle of its body has sent nothing', async () => {
  const client = await openRawClient(listener.url);
  client.write(
    `${HEAD}content-type: application/x-ndjson\r\ncontent-length: 500\r\n\r\n{"id":"a","entrou":true}\n`,
  );
  await pause(50);
  client.leave();
  const chunked = await openRawClient(listener.url);
  chunked.write(`${HEAD}content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n`);
  chunked.write('19\r\n{"id":"a","entrou":true}\n\r\n');
  await pause(50);
  chunked.socket.end();
  await until(() => expect(chunked.closed()).toBe(true));
  expect(await database.gates`select from tickets where entrou`).toHaveLength(0);
});

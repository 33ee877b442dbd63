import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../testing/until.ts';
import { paceRequests } from './pace-requests.ts';

/** As long as a request takes the event loop here. */
const WORK_MS = 20;
/** What a proxy waits for an answer (deploy/nginx-edges.conf). */
const PATIENCE_MS = 1_000;

let server: Server;
let close: () => void;
let begun: string[];

beforeEach(async () => {
  begun = [];
  server = createServer((request, response) => {
    begun.push(request.url ?? '');
    for (const untilMs = performance.now() + WORK_MS; performance.now() < untilMs;);
    response.end(request.url);
  });
  close = paceRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  close();
  server.close();
});

/** Resolves with how long it took; `undefined`: it was not answered by then. */
function ask(path: string, patienceMs = 60_000): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const askedAtMs = performance.now();
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      resolve(performance.now() - askedAtMs);
    });
    request.on('error', () => resolve(undefined));
    setTimeout(() => {
      resolve(undefined);
      request.destroy();
    }, patienceMs).unref();
  });
}

test('requests are begun in the order in which they came', async () => {
  const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
  await Promise.all(paths.map((path) => ask(path)));
  expect(begun).toEqual(paths);
});

test('all are answered in the end, however many came at once', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`/${n}`)));
  expect(answers.filter((ms) => ms === undefined)).toEqual([]);
  expect(new Set(begun).size).toBe(100);
});

test('of more than can be served while they are waited for, as many are answered in time as there is time for', async () => {
  /** Each asks until it is answered, as a page behind a proxy does. */
  const clients = 150;
  let answered = 0;
  const asking = Array.from({ length: clients }, async (_, n) => {
    while ((await ask(`/${n}`, PATIENCE_MS)) === undefined) await pause(250 * Math.random());
    answered += 1;
  });
  await Promise.all(asking);
  expect(answered).toBe(clients);
  // In their order, nearly all of them would be begun for nobody, again and again. These clients share the processor.
  expect(begun.length).toBeLessThan(4 * clients);
}, 60_000);

test('who has given up is not begun', async () => {
  const waiting = Array.from({ length: 20 }, (_, n) => ask(`/${n}`, n === 19 ? 5 * WORK_MS : 60_000));
  await Promise.all(waiting);
  expect(begun.toSorted()).toEqual(Array.from({ length: 19 }, (_, n) => `/${n}`).toSorted());
});

test('requests that one connection sends at once are answered in their order, even where the last is begun first', async () => {
  // Together they take longer than the first one is served first.
  const paths = Array.from({ length: 40 }, (_, n) => `/${n}`);
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  const bodies = () => [...received.matchAll(/^\/\d+/gm)].map(([body]) => body);
  await until(() => expect(bodies()).toHaveLength(paths.length));
  socket.destroy();
  expect(bodies()).toEqual(paths);
  expect(begun).not.toEqual(paths);
});

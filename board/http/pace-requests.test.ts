import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../testing/until.ts';
import { paceRequests } from './pace-requests.ts';

/** As long as a request takes by the clock of these tests, which moves with the requests and not with the machine. */
const WORK_MS = 20;
/** The number of requests that take one second, for which a proxy waits for an answer (deploy/nginx-edges.conf). */
const PATIENCE = 1_000 / WORK_MS;

let server: Server;
let close: () => void;
let begun: string[];
let waiting: Set<{ readonly untilBegun: number; readonly giveUp: () => void }>;

beforeEach(async () => {
  begun = [];
  waiting = new Set();
  server = createServer((request, response) => {
    begun.push(request.url ?? '');
    response.end(request.url);
    for (const { untilBegun, giveUp } of waiting) if (begun.length >= untilBegun) giveUp();
  });
  close = paceRequests(server, () => begun.length * WORK_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  close();
  server.close();
});

/** Resolves with whether it was answered before `patience` requests were begun. */
function ask(path: string, patience = Infinity): Promise<boolean> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      settle(true);
    });
    request.on('error', () => settle(false));
    const client = { untilBegun: begun.length + patience, giveUp: () => request.destroy() };
    waiting.add(client);
    const settle = (isAnswered: boolean): void => {
      waiting.delete(client);
      resolve(isAnswered);
    };
  });
}

test('requests are begun in the order in which they came', async () => {
  const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
  await Promise.all(paths.map((path) => ask(path)));
  expect(begun).toEqual(paths);
});

test('all are answered in the end, however many came at once', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`/${n}`)));
  expect(answers).toEqual(answers.map(() => true));
  expect(new Set(begun).size).toBe(100);
});

test('of more than can be served while they are waited for, as many are answered in time as there is time for', async () => {
  /** Each asks until it is answered, as a page behind a proxy does. */
  const clients = 100;
  let answered = 0;
  const asking = Array.from({ length: clients }, async (_, n) => {
    while (!(await ask(`/${n}`, PATIENCE))) await pause(250 * Math.random());
    answered += 1;
  });
  await Promise.all(asking);
  expect(answered).toBe(clients);
  // In their order, nearly all of them would be begun for nobody, again and again. These clients share the processor.
  expect(begun.length).toBeLessThan(4 * clients);
});

test('who has given up is not begun', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`/${n}`, n === 19 ? 5 : Infinity)));
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

import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase, type TestDatabase, insertTickets } from '../../testing/database/database.ts';
import { IS_FULL } from '../../testing/durations.ts';
import {
  GATES_KEY,
  type GatesListener,
  type Posted,
  postTickets,
  startGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { type Program, runProgram } from '../../testing/server/program.ts';
import { openRawClient, rawRequest } from '../../testing/server/raw-client.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { unhinderedNow, until } from '../../testing/until.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { DURATIONS, MAX_REQUESTS } from './limits.ts';
import { listen } from './listen.ts';

const HEADERS = { authorization: `Bearer ${GATES_KEY}`, 'content-type': 'application/json' };

let database: TestDatabase;
const running: Program[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4' },
    { id: 'b', setor: '4' },
  ]);
});

beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));

afterEach(async () => {
  vi.restoreAllMocks();
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

afterAll(() => database.drop());

const settings = (): Record<string, string> => ({
  GATES_DATABASE_URL: database.gatesUrl,
  GATES_HTTP_KEY: GATES_KEY,
  GATES_HTTP_PORT: '0',
});

/** Why `gates -- listen` does not start. */
async function refusal(env: Record<string, string>): Promise<Error> {
  const reason: unknown = await listen.run([], { ...settings(), ...env }).catch((error: unknown) => error);
  return reason instanceof Error ? reason : new Error('not refused');
}

function startListening(): Program {
  const program = runProgram('gates', ['listen'], settings());
  running.push(program);
  return program;
}

async function addressOf({ stdout, stderr }: Program): Promise<string> {
  await until(() => expect(stdout(), stderr()).toMatch(/^Listening on \S+\n$/), 30_000);
  return stdout().replace('Listening on ', '').trim();
}

test.each([
  [
    'no key',
    { GATES_HTTP_KEY: '' },
    UsageError,
    /GATES_HTTP_KEY is missing\. Make one with "openssl rand -hex 24"/,
  ],
  ['a short key', { GATES_HTTP_KEY: 'short' }, UsageError, /GATES_HTTP_KEY is shorter than 16 characters/],
  ['a key with a space', { GATES_HTTP_KEY: 'a key that has spaces' }, UsageError, /holds a space/],
  ['a port that is none', { GATES_HTTP_PORT: '70000' }, UsageError, /GATES_HTTP_PORT is "70000"/],
  [
    'an address of another',
    { GATES_HTTP_HOST: '192.0.2.1' },
    GatesError,
    /GATES_HTTP_HOST 192\.0\.2\.1 is no address of/,
  ],
])('with %s it does not start, and says why', async (_what, env, kind, words) => {
  const refused = await refusal(env);
  expect(refused).toBeInstanceOf(kind);
  expect(refused.message).toMatch(words);
});

test('where its port is taken, or the database not prepared, it says what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { message } = await refusal({ GATES_HTTP_PORT: String(port) });
  expect(message).toContain(`GATES_HTTP_PORT ${port} is taken by process ${process.pid} (`);
  expect(message).toContain('): stop it, or set another.');
  other.close();
  await database.admin`alter table ticket_times rename to gone`;
  expect((await refusal({})).message).toMatch(/lacks a table: run "npm run migrate"/);
  await database.admin`alter table gone rename to ticket_times`;
});

test.each(IS_FULL ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const))(
  '%s answers what is under way, takes nothing more, and ends with 0 within 5 s',
  async (signal) => {
    const program = startListening();
    const url = await addressOf(program);
    const slow = await openRawClient(url);
    slow.write(
      `POST /events/${DEFAULT_EVENT_ID}/tickets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${GATES_KEY}\r\n` +
        'content-type: application/x-ndjson\r\ncontent-length: 1000\r\n\r\n{"id":"b"',
    );
    let underWay: Promise<Posted> | undefined;
    const stopwatch = await database.gates.begin(async (sql) => {
      await sql`lock table tickets in exclusive mode`;
      underWay = postTickets(url, { id: 'a', entrou: signal === 'SIGTERM' });
      await until(async () => {
        const waiting = await database.admin`select from pg_stat_activity where wait_event_type = 'Lock'
          and datname = ${database.name}`;
        expect(waiting).toHaveLength(1);
      });
      program.child.kill(signal);
      // npm passes on what the terminal has sent already.
      program.child.kill(signal);
      const watch = startStopwatch({ pids: () => [program.child.pid] });
      await until(() => expect(program.stderr()).toMatch('Stopping...'));
      await until(async () => expect(await fetch(url).catch(() => 'refused')).toBe('refused'));
      return watch;
    });
    expect((await underWay)?.answer).toMatchObject({ applied: 1 });
    expect(await program.ended, program.stderr()).toBe(0);
    expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
    expect(program.stderr()).toMatch(new RegExp(`event ${DEFAULT_EVENT_ID}: .*1 applied`));
    expect(program.stdout() + program.stderr()).not.toContain(GATES_KEY);
    await until(() => expect(slow.closed()).toBe(true));
    const [row] = await database.gates`select entrou from tickets where id = 'a'`;
    expect(row).toEqual({ entrou: signal === 'SIGTERM' });
  },
);

async function expectUnavailable(listener: GatesListener): Promise<void> {
  await until(async () => {
    const { status, headers, answer } = await listener.post({ id: 'x', entrou: true });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(answer['detail']).toMatch(/Nothing was changed|is not known/);
  });
  expect((await fetch(`${listener.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
}

test('while the database is unavailable: 503 at once; it comes back by itself', async () => {
  const cluster = await startTestCluster();
  await insertTickets(cluster.database.gates, [{ id: 'x', setor: '4' }]);
  const listener = await startGatesListener({ GATES_DATABASE_URL: cluster.database.gatesUrl });
  expect((await listener.post({ id: 'x', entrou: true })).status).toBe(200);
  for (const end of [() => cluster.stop(), () => cluster.signalAll('SIGKILL')]) {
    await end();
    await expectUnavailable(listener);
    const begunAtMs = unhinderedNow();
    expect((await listener.post({ id: 'x', entrou: true })).status).toBe(503);
    expect(unhinderedNow() - begunAtMs).toBeLessThan(2_000);
    await cluster.start();
    await cluster.answersAgain();
    await until(
      async () => expect((await listener.post({ id: 'x', entrou: false })).status).toBe(200),
      10_000,
    );
    expect((await fetch(`${listener.url}/readyz`)).status).toBe(200);
  }
  await listener.stop();
});

test('where the network to the database is cut in the middle of a commit, no answer reports a success', async () => {
  const network = await startNetwork(database.gatesUrl);
  const listener = await startGatesListener({ GATES_DATABASE_URL: network.url });
  await database.gates`update tickets set entrou = false`;
  // What looks after kept readings commits each second, too.
  network.holdOn('commit', 'update public.tickets');
  const posted = listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' });
  await until(() => expect(network.hasHeldOn).toBe(true));
  network.cut();
  const { status, answer } = await posted;
  expect([status, answer['detail']]).toEqual([
    503,
    expect.stringMatching(/broke during the commit\. Whether this was written is not known/),
  ]);
  network.restore();
  const again = { id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' };
  await until(async () => expect((await listener.post(again)).status).toBe(200));
  expect(await database.gates`select from tickets where entrou`).toHaveLength(1);
  await listener.stop();
  network.close();
});

test(`when ${MAX_REQUESTS} requests wait, others get 503, and those that wait are answered`, async () => {
  const listener = await startGatesListener({ GATES_DATABASE_URL: database.gatesUrl });
  await database.gates`update tickets set entrou = false`;
  await database.gates`delete from ticket_times`;
  // Connected before, they all ask within the time for which a ticket may be held.
  const clients = await Promise.all(
    Array.from({ length: MAX_REQUESTS + 40 }, () => openRawClient(listener.url)),
  );
  const answersOf = (status: number): string[] =>
    clients.map((client) => client.text()).filter((text) => text.startsWith(`HTTP/1.1 ${status} `));
  await database.gates.begin(async (sql) => {
    await sql`select from tickets where id = 'a' for update`;
    for (const [index, client] of clients.entries()) {
      const body = JSON.stringify({ id: 'a', entrou: index % 2 === 0 });
      const headers = { ...HEADERS, 'content-length': String(body.length) };
      client.write(rawRequest('POST', `/events/${DEFAULT_EVENT_ID}/tickets`, headers, body));
    }
    await until(() => expect(answersOf(503).length).toBeGreaterThanOrEqual(40));
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  });
  await until(() => expect(clients.filter((client) => client.text() === '')).toEqual([]));
  const refusals = answersOf(503);
  expect(refusals.filter((text) => !/^retry-after: 1\r$/im.test(text))).toEqual([]);
  // On a busy machine, some of those that wait may have waited for the held ticket for too long.
  const tooMany = refusals.filter((text) => text.includes('Too many requests wait to be written.'));
  expect(tooMany.length).toBeGreaterThan(0);
  expect(answersOf(200)).toHaveLength(clients.length - refusals.length);
  for (const client of clients) client.leave();
  await listener.stop();
});

test('a client that sends its request too slowly is cut off, and one that only waits is not', async () => {
  const listener = await startGatesListener(
    { GATES_DATABASE_URL: database.gatesUrl },
    { ...DURATIONS, headersMs: 300, requestMs: 700, checkEveryMs: 50, idleMs: 500 },
  );
  const head = `POST /events/${DEFAULT_EVENT_ID}/tickets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${GATES_KEY}\r\n`;
  const slowHead = await openRawClient(listener.url);
  slowHead.write(head);
  const slowBody = await openRawClient(listener.url);
  slowBody.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n`);
  const dripping = setInterval(() => slowBody.write(' '), 50);
  await until(() => expect([slowHead.closed(), slowBody.closed()]).toEqual([true, true]));
  clearInterval(dripping);
  expect([slowHead.statuses(), slowBody.statuses()]).toEqual([[408], [408]]);
  let held: Promise<Posted> | undefined;
  await database.gates.begin(async (sql) => {
    await sql`select from tickets where id = 'b' for update`;
    held = listener.post({ id: 'b', entrou: true });
    await pause(1_500);
  });
  expect((await held)?.status).toBe(200);
  await listener.stop();
});

import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database/database.ts';
import { repetitions } from '../../testing/durations.ts';
import {
  type GatesListener,
  type Posted,
  type PostOptions,
  sellTickets,
  startGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { until } from '../../testing/until.ts';

const SEED = 20_250_326;
const IDS = Array.from({ length: 10 }, (_, index) => `t${index}`);
const START_MS = Date.UTC(2025, 2, 26, 20);

let database: TestDatabase;
/** Two, as of two machines: they know nothing of each other. */
let listeners: readonly GatesListener[];

beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  database = await createTestDatabase();
  const env = { GATES_DATABASE_URL: database.gatesUrl };
  listeners = [await startGatesListener(env), await startGatesListener(env)];
});

afterEach(async () => {
  await database.gates`delete from tickets`;
  await database.gates`delete from ticket_times`;
  await database.gates`delete from kept_readings`;
});

afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  vi.restoreAllMocks();
});

async function post(which: number, body: unknown, options?: PostOptions): Promise<Posted> {
  const listener = listeners[which % 2];
  if (!listener) throw new Error('there is no such listener');
  return listener.post(body, options);
}

interface Message {
  readonly id: string;
  readonly entrou: boolean;
  readonly at: string;
}

const sell = (): Promise<void> => sellTickets(database, IDS);

async function expectNewest(messages: readonly Message[]): Promise<void> {
  const newest = new Map<string, Message>();
  for (const message of messages) {
    if (message.at > (newest.get(message.id)?.at ?? '')) newest.set(message.id, message);
  }
  const rows = await database.gates<{ id: string; entrou: boolean }[]>`select id, entrou from tickets`;
  const right = IDS.map((id) => [id, newest.get(id)?.entrou ?? false]);
  expect(new Map(rows.map(({ id, entrou }) => [id, entrou]))).toEqual(new Map(right as [string, boolean][]));
}

/** Each ticket has a message for each instant that is used, so that no two differ and are of one instant. */
function messageOf(ticket: number, instant: number, entrou: boolean): Message {
  return {
    id: IDS[ticket] ?? '',
    entrou,
    at: new Date(START_MS + instant * 1_000).toISOString(),
  };
}

test('any history of entries and reverts, sent in any order and again, leaves what was so last', async () => {
  const change = fc.record({ ticket: fc.nat(9), instant: fc.nat(200), entrou: fc.boolean() });
  const history = fc.uniqueArray(change, {
    selector: ({ ticket, instant }) => `${ticket} ${instant}`,
    maxLength: 40,
  });
  const scenario = history.chain((changes) =>
    fc.record({
      messages: fc.constant(changes.map(({ ticket, instant, entrou }) => messageOf(ticket, instant, entrou))),
      // Indices: each at least once, in any order, and any of them again.
      again: fc.array(fc.nat(Math.max(0, changes.length - 1)), { maxLength: 40 }),
      order: fc.shuffledSubarray([...changes.keys()], { minLength: changes.length }),
      size: fc.integer({ min: 1, max: 12 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(scenario, async ({ messages, again, order, size }) => {
      await database.gates`delete from tickets`;
      await database.gates`delete from ticket_times`;
      await sell();
      const sent = [...order, ...(messages.length > 0 ? again : [])].map((index) => messages[index]);
      const bodies: unknown[] = [];
      for (let start = 0; start < sent.length; start += size) bodies.push(sent.slice(start, start + size));
      const answers = await Promise.all(bodies.map((body, index) => post(index, body)));
      expect(answers.every((answer) => answer.status === 200)).toBe(true);
      await expectNewest(messages);
    }),
    { seed: SEED, numRuns: repetitions(60, 20) },
  );
});

test('many writers on the same ten tickets never wait for each other, and the newest of all is what stays', async () => {
  await sell();
  const WRITERS = 16;
  const ROUNDS = repetitions(40, 15);
  const sent: Message[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        // Other orders of the tickets in each body; an instant is used once.
        const messages = IDS.map((_id, index) => {
          const ticket = (writer % 2 ? IDS.length - 1 - index : index + round) % IDS.length;
          return messageOf(ticket, (round * 7_919 + writer * 104_729) % 100_003, (round + writer) % 3 > 0);
        });
        sent.push(...messages);
        const answer = await post(writer, messages);
        expect(answer.status, JSON.stringify(answer.answer)).toBe(200);
      }
    }),
  );
  await expectNewest(sent);
});

test('a gate system that locks tickets in another order is no more than a delay', async () => {
  await sell();
  const done = new AbortController();
  onTestFinished(() => done.abort());
  const failures: unknown[] = [];
  const gateSystem = (async () => {
    while (!done.signal.aborted) {
      await database.gates
        .begin(async (sql) => {
          await sql`update tickets set entrou = true where id = 't9'`;
          await sql`update tickets set entrou = true where id = 't0'`;
        })
        .catch((error: unknown) => failures.push(error));
    }
  })();
  for (let round = 0; round < 30; round += 1) {
    const answer = await post(
      0,
      IDS.map((id) => ({ id, entrou: round % 2 === 0 })),
    );
    expect(answer.status, JSON.stringify(answer.answer)).toBe(200);
  }
  done.abort();
  await gateSystem;
  for (const failure of failures) expect(failure).toMatchObject({ code: '40P01' });
});

test('two that create the same tickets at once create each once', async () => {
  await database.gates`insert into events values (${DEFAULT_EVENT_ID}) on conflict do nothing`;
  for (let round = 0; round < 10; round += 1) {
    const body = Array.from({ length: 50 }, (_, index) => ({
      id: `r${round}n${index}`,
      setor: '4',
      entrou: true,
    }));
    const answers = await Promise.all(
      [0, 1, 0, 1].map((which, index) =>
        post(which, index % 2 ? body.toReversed() : body, { query: '?create=true' }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    const created = answers.map((answer) => Number(answer.answer['created']));
    expect(created.reduce((sum, count) => sum + count, 0)).toBe(50);
  }
  const [row] = await database.gates<
    { count: number }[]
  >`select count(*)::int as count from tickets where entrou`;
  expect(row?.count).toBe(500);
});

async function untilOneWaits(): Promise<void> {
  await until(async () => {
    const waiting = await database.admin`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = ${database.name}`;
    expect(waiting).toHaveLength(1);
  });
}

const at = (minute: number): string => new Date(START_MS + minute * 60_000).toISOString();

test('a message whose ticket comes while it is being kept hides nothing newer from an older one', async () => {
  await sell();
  const early = { id: 'new', isValidTicket: false, at: at(1) };
  const keeping = await database.gates.begin(async (sql) => {
    // Another one is keeping the same message.
    await sql`
      insert into kept_readings (event_id, id, at, received_at, is_valid_ticket, gate, reason)
      values (${DEFAULT_EVENT_ID}, 'new', ${early.at}, now(), false, '7', 'ticket')`;
    const answer = post(0, early);
    await untilOneWaits();
    const { answer: created } = await post(
      1,
      { id: 'new', setor: '4', entrou: true, at: at(9) },
      { query: '?create=true' },
    );
    expect(created).toMatchObject({ created: 1 });
    return { answer };
  });
  expect((await keeping.answer).answer).toMatchObject({ kept: 1 });
  expect((await post(0, { id: 'new', entrou: false, at: at(5) })).answer).toMatchObject({ older: 1 });
});

test('a message that found no ticket leaves the times of one that has come before it could forget them', async () => {
  await sell();
  await post(0, { id: 't0', entrou: false, at: at(1) });
  await database.gates`delete from tickets where id = 't0'`;
  const keeping = await database.gates.begin(async (sql) => {
    await sql`insert into tickets values (${DEFAULT_EVENT_ID}, 't0', true, true, '4')`;
    // What the deleted ticket left is of the new one now.
    await sql`update ticket_times set at = ${at(9)} where id = 't0'`;
    const answer = post(0, { id: 't0', isValidTicket: false, at: at(1) });
    await untilOneWaits();
    return { answer };
  });
  expect((await keeping.answer).answer).toMatchObject({ kept: 1 });
  expect((await post(0, { id: 't0', entrou: false, at: at(5) })).answer).toMatchObject({ older: 1 });
});

test('tickets that somebody holds for long keep no other of their body, or of the same moment, from being written', async () => {
  await sell();
  await database.gates.begin(async (sql) => {
    await sql`select from tickets where id in ('t3', 't4') for update`;
    const [body, single, ...held] = await Promise.all([
      post(
        0,
        IDS.map((id) => ({ id, entrou: true })),
      ),
      post(0, { id: 't0', isValidTicket: false }),
      post(0, { id: 't3', entrou: true }),
      post(0, { id: 't4', entrou: true }, { query: '?create=true' }),
    ]);
    expect([body?.status, body?.headers.get('retry-after'), single?.status]).toEqual([503, '1', 200]);
    expect(body?.answer['detail']).toMatch(/holds one .* The others are written: send all of them again\./);
    expect(held.map(({ status, answer }) => [status, answer['detail']])).toEqual(
      held.map(() => [503, expect.stringMatching(/holds one .* Nothing was changed\./)]),
    );
  });
  const rows = await database.gates<{ id: string }[]>`select id from tickets where not entrou order by id`;
  expect(rows.map(({ id }) => id)).toEqual(['t3', 't4']);
  expect(await database.gates`select from kept_readings`).toHaveLength(0);
  const { answer } = await post(
    0,
    IDS.map((id) => ({ id, entrou: true })),
  );
  expect(answer).toMatchObject({ applied: 2, unchanged: 8 });
});

test('tickets that somebody holds keep no writer from the others, and are written in order once they are free', async () => {
  await sell();
  let answered = 0;
  const send = async (id: string, entrou: boolean): Promise<Posted> => {
    const answer = await post(0, { id, entrou });
    answered += 1;
    return answer;
  };
  const held: Promise<Posted>[] = [];
  await database.gates.begin(async (sql) => {
    await sql`select from tickets where id in ('t3', 't4') for update`;
    for (const id of ['t3', 't4']) {
      held.push(send(id, true));
      expect((await post(0, { id: 't0', entrou: id === 't3' })).status).toBe(200);
    }
    // It is not written before the one that waits.
    held.push(send('t3', false));
    expect((await post(0, { id: 't1', entrou: true })).status).toBe(200);
    expect(answered).toBe(0);
  });
  expect((await Promise.all(held)).map(({ status, answer }) => [status, answer['applied']])).toEqual([
    [200, 1],
    [200, 1],
    [200, 1],
  ]);
  const rows = await database.gates<{ id: string }[]>`select id from tickets where entrou order by id`;
  expect(rows.map(({ id }) => id)).toEqual(['t1', 't4']);
});

test('held tickets are named as soon as messages about them are refused', async () => {
  await sell();
  const [listener] = listeners;
  const warning = async (): Promise<unknown> =>
    ((await (await fetch(`${listener?.url}/readyz`)).json()) as { warning?: string }).warning;
  await database.gates.begin(async (sql) => {
    await sql`select from tickets where id = 't3' for update`;
    expect((await post(0, { id: 't3', entrou: true })).status).toBe(503);
    expect(await warning()).toMatch(
      /another program holds tickets in an open transaction, .* shows which; end it/,
    );
  });
});

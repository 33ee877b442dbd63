import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { insertTickets } from '../../testing/database/database.ts';
import {
  sellTickets,
  shutGate,
  shutSilently,
  startGatesListener,
  useGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { until } from '../../testing/until.ts';
import { backup } from '../backup/backup.ts';
import { importTickets } from '../import/import.ts';
import { restore } from '../backup/restore.ts';
import { DURATIONS } from './limits.ts';
import { reserveEvent, simulatedIds } from '../simulator/simulated-id.ts';

const tool = useGatesTool();
const { tickets } = tool;
const { database } = tool;
const listener = useGatesListener(tool);

beforeEach(async () => {
  await tool.database.gates`insert into events values (${DEFAULT_EVENT_ID})`;
  await insertTickets(tool.database.gates, [{ id: 'a', setor: '4' }]);
});

const AT = '2025-03-26T20:15:00-03:00';
const EARLIER = '2025-03-26T20:14:00-03:00';
const SEED = 20_250_326;
const BODIES = 4;
const LATER = '2025-03-26T20:16:00-03:00';

async function keptIds(): Promise<string[]> {
  const rows = await database.gates<{ id: string }[]>`select id from kept_readings order by id, at`;
  return rows.map(({ id }) => id);
}

test('a message with an unknown id is kept, the answer reports it, and it harms no other of its body', async () => {
  const { status, answer } = await listener.post([
    { id: 'A', entrou: true, at: AT, gate: 'portão 7' },
    { id: 'a', entrou: true, at: AT },
    { id: 'nobody', entrou: true },
  ]);
  const detail = 'no ticket of this event has this id';
  expect([status, answer]).toMatchObject([
    200,
    {
      applied: 1,
      kept: 2,
      refused: 0,
      withoutEffect: [
        { message: 1, line: 1, id: 'A', outcome: 'kept', detail },
        { message: 3, line: 1, id: 'nobody', outcome: 'kept', detail },
      ],
    },
  ]);
  expect(await tickets()).toEqual(['event|a|t|t|4']);
  const kept =
    await database.gates`select id, at, entrou, setor, gate, reason from kept_readings order by id`;
  expect(kept).toEqual([
    { id: 'A', at: new Date(AT), entrou: true, setor: null, gate: 'portão 7', reason: 'ticket' },
    { id: 'nobody', at: null, entrou: true, setor: null, gate: '127.0.0.1', reason: 'ticket' },
  ]);
});

const TICKETS: readonly (readonly [way: string, bring: () => Promise<unknown>])[] = [
  ['gates import', () => tool.run(importTickets, tool.csv('c,true,false,9'))],
  ['SQL of a gate system', () => insertTickets(database.gates, [{ id: 'c', setor: '9' }])],
  ['listen itself', () => listener.post({ id: 'c', setor: '9' }, { query: '?create=true' })],
];

test.each(TICKETS)('its ticket comes by %s: what was kept is applied to it', async (_way, bring) => {
  // What a ticket had before it was deleted is forgotten.
  await insertTickets(database.gates, [{ id: 'c', setor: '4' }]);
  await listener.post({ id: 'c', entrou: false, at: LATER });
  await database.gates`delete from tickets where id = 'c'`;
  await listener.post({ id: 'c', entrou: true, at: AT });
  await bring();
  await until(async () => expect(await tickets()).toContain('event|c|t|t|9'));
  await until(async () => expect(await keptIds()).toEqual([]));
  // It is the newest that is known of the ticket.
  expect((await listener.post({ id: 'c', entrou: false, at: EARLIER })).answer).toMatchObject({ older: 1 });
  await listener.stop();
  expect(tool.stderr).toMatch(/1 kept before and applied now/);
});

test('its ticket comes by restore: what was kept, here or in the backup, is applied to it', async () => {
  const file = `${tool.folder}/kept.sql.gz`;
  await insertTickets(database.gates, [{ id: 'c', setor: '9' }]);
  await listener.post({ id: 'd', entrou: true, at: AT });
  expect(await tool.run(backup, file)).toBe(0);
  await database.gates`delete from tickets`;
  await database.gates`delete from kept_readings`;
  await listener.post({ id: 'c', entrou: true, at: AT });
  expect(await tool.run(restore, file)).toBe(0);
  await until(async () => expect(await tickets()).toEqual(['event|a|t|f|4', 'event|c|t|t|9']));
  await until(async () => expect(await keptIds()).toEqual(['d']));
  await insertTickets(database.gates, [{ id: 'd', setor: '4' }]);
  await until(async () => expect(await tickets()).toContain('event|d|t|t|4'));
});

test('what was kept is applied as if its ticket had been there: the newest message wins, in whatever order they came', async () => {
  const left = { id: 'c', entrou: false, at: LATER };
  await listener.post([left, { id: 'c', entrou: true, at: AT }, { id: 'c', setor: '13', at: EARLIER }]);
  await listener.post([
    { id: 'd', entrou: false, at: EARLIER },
    { id: 'd', entrou: true, isValidTicket: false, at: AT },
  ]);
  await sellTickets(database, ['c', 'd']);
  await until(async () =>
    expect(await tickets()).toEqual(['event|a|t|f|4', 'event|c|t|f|13', 'event|d|f|t|4']),
  );
  expect((await listener.post({ id: 'c', entrou: true, at: AT })).answer).toMatchObject({ older: 1 });
});

test('what was kept ends as it does where the ticket is there: any messages, with a time and without, in any bodies', async () => {
  const oneOf = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const message = fc
    .record({
      entrou: oneOf(true, false),
      isValidTicket: oneOf(true, false),
      setor: oneOf('9', '13'),
      at: oneOf(EARLIER, AT, LATER, '2099-01-01T00:00:00Z', '2098-01-01T00:00:00Z'),
    })
    .filter(({ entrou, isValidTicket, setor }) => (entrou ?? isValidTicket ?? setor) !== undefined);
  // Each history is of a ticket of its own, so that all of them take few commits.
  const histories = fc.sample(fc.array(message, { minLength: 2, maxLength: BODIES * 2 }), {
    seed: SEED,
    numRuns: 500,
  });
  const bodyOf = (kind: string, body: number) =>
    histories.flatMap((messages, history) => {
      const length = Math.ceil(messages.length / BODIES);
      const part = messages.slice(body * length, (body + 1) * length);
      return part.map((each) => Object.assign({ id: `${kind}${history}` }, each));
    });
  const ids = (kind: string): string[] => histories.map((_messages, history) => `${kind}${history}`);
  await sellTickets(database, ids('there'));
  for (let body = 0; body < BODIES; body += 1) {
    for (const kind of ['there', 'kept']) await listener.post(bodyOf(kind, body));
  }
  await sellTickets(database, ids('kept'));
  await until(async () => expect(await keptIds()).toEqual([]));
  const endsOf = async (kind: string): Promise<unknown> =>
    database.gates`
      select substr(id, ${kind.length + 1}::int) as history, is_valid_ticket, entrou, setor from tickets
      where id like ${`${kind}%`} order by 1`;
  expect(await endsOf('kept')).toEqual(await endsOf('there'));
});

test('a reading of an event that is not there is a warning; once the event is there, it waits for its ticket', async () => {
  const eventId = 'e'.repeat(32);
  const reasons = async (): Promise<unknown> =>
    (await database.gates`select reason from kept_readings where event_id = ${eventId}`).map(
      (row) => row['reason'],
    );
  await listener.post({ id: 'c', entrou: true }, { eventId });
  expect(await reasons()).toEqual(['event']);
  const warning = async (): Promise<unknown> =>
    ((await (await fetch(`${listener.url}/readyz`)).json()) as { warning?: string }).warning;
  const text = /^1 reading names an event that does not exist here: e{32} \(1\)\. Correct the event ID/;
  await until(async () => expect(await warning()).toMatch(text));
  expect(tool.stderr).toMatch(/Z 1 reading names an event that does not exist here/);
  await database.gates`insert into events values (${eventId})`;
  await until(async () => expect(await reasons()).toEqual(['ticket']));
  await until(async () => expect(await warning()).toBeUndefined());
  expect(tool.stderr).toMatch(/No reading waits for its event any more/);
});

test('a message that comes before what was kept is applied finds it applied', async () => {
  await listener.post({ id: 'c', entrou: true, at: AT });
  await database.gates.begin(async (sql) => {
    // Nobody else sees the ticket before it is written to.
    await sql`insert into tickets values (${DEFAULT_EVENT_ID}, 'c', true, false, '4')`;
  });
  const { answer } = await listener.post({ id: 'c', entrou: false });
  expect(answer).toMatchObject({ applied: 1 });
  await until(async () => expect(await keptIds()).toEqual([]));
  expect(await tickets()).toContain('event|c|t|f|4');
});

test('a message that is sent again takes no room', async () => {
  for (let time = 0; time < 3; time += 1) {
    await listener.post([
      { id: 'c', entrou: true, at: AT },
      { id: 'c', setor: '9', at: AT },
      { id: 'c', entrou: true },
      { id: 'c', entrou: false },
      { id: 'c', entrou: true },
    ]);
  }
  const rows = await database.gates`select at, entrou, setor from kept_readings order by kept_at`;
  expect(rows).toEqual([
    { at: new Date(AT), entrou: true, setor: null },
    { at: new Date(AT), entrou: null, setor: '9' },
    { at: null, entrou: false, setor: null },
    { at: null, entrou: true, setor: null },
  ]);
});

test('of too many the oldest are dropped, of the event that has most, and a line reports it', async () => {
  const other = 'e'.repeat(32);
  await database.gates`
    insert into kept_readings (event_id, id, received_at, kept_at, gate, reason)
    select ${other}, 'x', now(), timestamptz '2025-03-26 19:00Z', 'x', 'ticket'
    union all
    select ${DEFAULT_EVENT_ID}, 'k' || n, now(), timestamptz '2025-03-26 20:00Z' + n * interval '1 s', 'x', 'ticket'
    from generate_series(1, 99999) n`;
  await listener.post([
    { id: 'new1', entrou: true },
    { id: 'new2', entrou: true },
  ]);
  await until(async () => {
    const rows = await database.gates<{ id: string }[]>`
      select id from kept_readings where id in ('x', 'k1', 'k2', 'k3', 'new1', 'new2') order by id`;
    expect(rows.map(({ id }) => id)).toEqual(['k3', 'new1', 'new2', 'x']);
  });
  await until(() =>
    expect(tool.stderr).toMatch(
      new RegExp(`event ${DEFAULT_EVENT_ID}: too many readings wait for their tickets .*dropped`),
    ),
  );
});

test('thousands of kept readings whose tickets were imported are applied batch after batch, without pauses', async () => {
  await listener.stop();
  await database.gates`
    insert into kept_readings (event_id, id, at, received_at, entrou, gate, reason)
    select ${DEFAULT_EVENT_ID}, 'k' || n, now(), now(), true, 'x', 'ticket' from generate_series(1, 20000) n`;
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'k' || n, true, false, '4' from generate_series(1, 20000) n`;
  const env = { GATES_DATABASE_URL: database.gatesUrl };
  const withLongPauses = await startGatesListener(env, { ...DURATIONS, readingsMs: 3_600_000 });
  try {
    await until(async () => expect(await tool.entered()).toBe(20_000), 30_000);
  } finally {
    await withLongPauses.stop();
  }
});

test('messages of an event that nobody has made are kept, until it has the tickets', async () => {
  const eventId = 'e'.repeat(32);
  for (const [query, more] of [
    ['', ''],
    ['?create=true', ': create it, and send this again, which creates its ticket'],
  ] as const) {
    const { status, answer } = await listener.post({ id: 'a', setor: '9', entrou: true }, { eventId, query });
    const detail = `there is no such event here${more}`;
    expect([status, answer]).toMatchObject([200, { kept: 1, withoutEffect: [{ detail }] }]);
  }
  expect((await listener.post([], { eventId })).answer).toMatchObject({ messages: 0 });
  await database.gates`insert into events values (${eventId})`;
  const created = await listener.post({ id: 'a', setor: '4' }, { eventId, query: '?create=true' });
  expect(created.answer['created']).toBe(1);
  expect(await tickets()).toContain(`${eventId}|a|t|t|4`);
});

test('with ?create=true a message without a sector is kept, and applied with the one that creates the ticket', async () => {
  const query = '?create=true';
  const { answer } = await listener.post({ id: 'd', entrou: true, at: AT }, { query });
  expect(answer).toMatchObject({ kept: 1 });
  await listener.post({ id: 'd', setor: '9', at: EARLIER }, { query });
  expect(await tickets()).toContain('event|d|t|t|9');
});

test('an event with simulated tickets takes no others, and lets those in that it has', async () => {
  const id = simulatedIds(DEFAULT_EVENT_ID)(1);
  await database.gates`delete from tickets`;
  await insertTickets(database.gates, [{ id, setor: '4' }]);
  const { answer } = await listener.post(
    [
      { id: 'real', setor: '4' },
      { id, entrou: true },
    ],
    { query: '?create=true' },
  );
  expect(answer).toMatchObject({
    applied: 1,
    kept: 1,
    withoutEffect: [{ id: 'real', detail: 'the event has simulated tickets, and takes no others' }],
  });
  expect(await tool.entered()).toBe(1);
});

test('while simulate fills an event, no ticket is created in it', async () => {
  const eventId = 'c'.repeat(32);
  await database.gates`insert into events values (${eventId})`;
  await database.gates.begin(async (sql) => {
    expect(await reserveEvent(sql as never, eventId, 'simulated')).toBe(true);
    const { answer } = await listener.post({ id: 'a', setor: '4' }, { eventId, query: '?create=true' });
    expect(answer).toMatchObject({ kept: 1, created: 0 });
  });
});

test.each([
  ['with an error', shutGate],
  ['in silence', shutSilently],
])(
  'what the database refuses of a kept reading, %s, is kept and named, holds up no other, and is applied in the end',
  async (_how, shut) => {
    const env = { GATES_DATABASE_URL: database.gatesUrl };
    const often = await startGatesListener(env, { ...DURATIONS, readingsMs: 50 });
    await listener.post([
      { id: 'c', entrou: true },
      { id: 'shut', entrou: true },
      { id: 'z', entrou: true },
    ]);
    await sellTickets(database, ['c', 'shut', 'z']);
    await shut(database, 'shut');
    const kept = () => database.gates`select id, reason from kept_readings`;
    await until(async () => expect(await kept()).toEqual([{ id: 'shut', reason: 'database' }]));
    expect(await tickets()).toEqual(['event|a|t|f|4', 'event|c|t|t|4', 'event|shut|t|f|4', 'event|z|t|t|4']);
    await database.admin`drop function shut cascade`;
    await until(async () => expect(await keptIds()).toEqual([]));
    expect(await tickets()).toContain('event|shut|t|t|4');
    await often.stop();
  },
);

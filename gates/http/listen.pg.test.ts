import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { sellTickets, useGatesListener } from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { recount } from '../../testing/database/oracle.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { until } from '../../testing/until.ts';
import { cancel } from '../import/cancel.ts';
import { enter, revert } from '../simulator/enter.ts';

const tool = useGatesTool();
const { tickets } = tool;
const listener = useGatesListener(tool);

beforeEach(async () => {
  await insertTickets(tool.database.gates, [
    { id: 'a', setor: '4' },
    { id: 'b', setor: '9', valid: false, entrou: true },
  ]);
  await tool.database.gates`insert into events values (${DEFAULT_EVENT_ID})`;
});

const NOTHING = {
  messages: 0,
  applied: 0,
  created: 0,
  unchanged: 0,
  older: 0,
  kept: 0,
  refused: 0,
  ahead: 0,
  withoutEffect: [],
  withoutEffectOmitted: 0,
};

test('one ticket enters, and fields that are missing stay as they are', async () => {
  const { status, answer } = await listener.post({ id: 'a', entrou: true });
  expect([status, answer]).toEqual([200, { ...NOTHING, messages: 1, applied: 1 }]);
  expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|f|t|9']);
  await listener.post({ id: 'b', isValidTicket: true });
  await listener.post({ id: 'b', setor: '99', entrou: null });
  expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|t|t|99']);
});

test('a repeated message changes nothing, and the answer reports it', async () => {
  const body = { id: 'a', entrou: true, at: '2025-03-26T20:15:00-03:00' };
  await listener.post(body);
  const before = await tool.database.gates`select xmin::text from tickets order by id`;
  for (let time = 0; time < 3; time += 1) {
    expect((await listener.post(body)).answer).toEqual({
      ...NOTHING,
      messages: 1,
      unchanged: 1,
      withoutEffect: [{ message: 1, line: 1, id: 'a', outcome: 'unchanged' }],
    });
  }
  expect(await tool.database.gates`select xmin::text from tickets order by id`).toEqual(before);
});

test('a retried "entered" does not undo a revert: an older message changes nothing, and the answer reports it', async () => {
  const entered = { id: 'a', entrou: true, at: '2025-03-26T20:15:00-03:00' };
  await listener.post(entered);
  await listener.post({ id: 'a', entrou: false, at: '2025-03-26T23:15:00.000001Z' });
  const { status, answer } = await listener.post(entered);
  expect([status, answer]).toEqual([
    200,
    {
      ...NOTHING,
      messages: 1,
      older: 1,
      withoutEffect: [
        { message: 1, line: 1, id: 'a', outcome: 'older', lastAt: '2025-03-26T23:15:00.000001Z' },
      ],
    },
  ]);
  expect(await tool.entered()).toBe(1);
});

test('nor does it undo one by the gates tool, in whatever way that marks, though both say the same', async () => {
  const entered = { id: 'a', entrou: true, at: '2025-03-26T20:15:00-03:00' };
  for (const args of [
    ['--id', 'a'],
    ['--setor', '4', '--count', '1'],
    ['--setor', '4', '--count', '1', '--batch'],
  ]) {
    await listener.post(entered);
    await tool.database.gates`update tickets set entrou = true where id = 'a'`;
    expect(await tool.run(revert, ...args)).toBe(0);
    expect((await listener.post(entered)).answer).toMatchObject({ older: 1 });
    expect(await tickets()).toContain('event|a|t|f|4');
    await tool.database.gates`delete from ticket_times`;
  }
});

test('what the gates tool finds so already has its time, too: a late message does not undo it', async () => {
  await tool.database.gates`update tickets set entrou = true, is_valid_ticket = false where id = 'a'`;
  const commands = [
    [() => tool.run(enter, '--id', 'a'), { entrou: false }, 1],
    [() => tool.run(cancel, '--id', 'a', '--yes'), { isValidTicket: true }, 0],
  ] as const;
  for (const [command, says, code] of commands) {
    const late = { id: 'a', ...says, at: new Date(Date.now() - 2_000).toISOString() };
    expect(await command()).toBe(code);
    expect((await listener.post(late)).answer).toMatchObject({ older: 1 });
  }
  expect(await tickets()).toContain('event|a|f|t|4');
});

test('an entry from a clock that is behind does not count after a revert, and "enter --id" counts it', async () => {
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  await listener.post({ id: 'a', entrou: true, at: hoursAgo(4) });
  await tool.run(revert, '--id', 'a');
  expect((await listener.post({ id: 'a', entrou: true, at: hoursAgo(3) })).answer).toMatchObject({
    older: 1,
  });
  expect(await tool.run(enter, '--id', 'a')).toBe(0);
  expect(await tickets()).toContain('event|a|t|t|4');
});

test('a gate whose clock began anew, or shows the year 9999, stops nowhere', async () => {
  for (const at of ['0001-01-01T00:05:00Z', '1970-01-01T00:05:00Z', '9999-12-01T00:00:00Z']) {
    const [entered, left] = [true, false].map((entrou) => ({ id: 'a', entrou, at }));
    expect((await listener.post(entered)).answer).toMatchObject({ applied: 1 });
    await listener.post({ ...left, at: at.replace('00:0', '00:1') });
    expect(await tickets()).toContain('event|a|t|f|4');
    await tool.database.gates`delete from ticket_times`;
  }
});

test('what comes on an open connection while it stops is written and answered as ever, or not answered', async () => {
  const statuses: number[] = [];
  const send = async (): Promise<void> => {
    for (;;) statuses.push((await listener.post({ id: 'a', isValidTicket: true })).status);
  };
  const senders = Promise.allSettled(Array.from({ length: 40 }, send));
  await until(() => expect(statuses.length).toBeGreaterThan(200));
  await listener.stop();
  await senders;
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('what changes nothing by itself still makes older what was sent before it', async () => {
  await listener.post({ id: 'a', entrou: false, at: '2025-03-26T23:15:00Z' });
  await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:14:00Z' });
  expect(await tool.entered()).toBe(1);
});

test('a message without a time always applies, and leaves the last time as it is', async () => {
  await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' });
  expect((await listener.post({ id: 'a', entrou: false })).answer['applied']).toBe(1);
  expect((await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:14:59Z' })).answer['older']).toBe(
    1,
  );
  // Sent again, it is known.
  expect((await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' })).answer['older']).toBe(
    1,
  );
});

test('only messages with a time are remembered', async () => {
  await listener.post([
    { id: 'a', entrou: true },
    { id: 'b', entrou: false, at: '2025-03-26T23:15:00.5Z' },
  ]);
  const times = await tool.database.gates`select event_id, id, at from ticket_times`;
  expect(times).toEqual([{ event_id: DEFAULT_EVENT_ID, id: 'b', at: new Date('2025-03-26T23:15:00.500Z') }]);
});

test('an array and lines are one commit each, in their order, whatever they say of the same ticket', async () => {
  const lines = [
    { id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' },
    { id: 'b', entrou: false },
    { id: 'a', entrou: false, at: '2025-03-26T23:16:00Z' },
    { id: 'a', entrou: true, at: '2025-03-26T23:15:30Z' },
    { id: 'b', setor: '4' },
  ];
  const { answer } = await listener.post(lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  expect(answer).toEqual({
    ...NOTHING,
    messages: 5,
    applied: 4,
    older: 1,
    withoutEffect: [
      { message: 4, line: 7, id: 'a', outcome: 'older', lastAt: '2025-03-26T23:16:00.000000Z' },
    ],
  });
  expect(await tickets()).toEqual(['event|a|t|f|4', 'event|b|f|f|4']);
  await listener.post([
    { id: 'a', entrou: true },
    { id: 'b', entrou: true },
  ]);
  const commits = await tool.database.gates`select distinct xmin::text from tickets`;
  expect(commits).toHaveLength(1);
});

test('a body of many is one commit, too', async () => {
  const sold = Array.from({ length: 5_000 }, (_, index) => ({ id: `t${index}`, setor: '4' }));
  const lines = (fields: object): string =>
    sold.map(({ id }) => JSON.stringify({ id, ...fields })).join('\n');
  const { answer } = await listener.post(sold, { query: '?create=true' });
  expect(answer).toEqual({ ...NOTHING, messages: 5_000, created: 5_000 });
  const at = '2025-03-26T23:15:00Z';
  expect((await listener.post(lines({ entrou: true, at }))).answer).toMatchObject({ applied: 5_000 });
  const [commits] = await tool.database.gates`
    select count(distinct xmin::text)::int as count from tickets where id like 't%'`;
  expect(commits).toEqual({ count: 1 });
  const older = await listener.post(lines({ entrou: false, at: '2025-03-26T23:14:00Z' }));
  expect(older.answer).toMatchObject({ older: 5_000, withoutEffectOmitted: 4_000 });
  expect(await tool.entered()).toBe(5_001);
});

test('with ?create=true an unknown id becomes a ticket where the message has its sector', async () => {
  const query = '?create=true';
  const { answer } = await listener.post(
    [
      { id: 'c', setor: '4' },
      { id: 'd', setor: '9', entrou: true, isValidTicket: false, at: '2025-03-26T23:15:00Z' },
      { id: 'c', entrou: true },
      { id: 'd', entrou: false, at: '2025-03-26T23:14:00Z' },
      { id: 'a', entrou: true },
      { id: 'e', entrou: true },
    ],
    { query },
  );
  expect(answer).toMatchObject({ messages: 6, created: 2, applied: 2, older: 1, kept: 1 });
  expect((answer['withoutEffect'] as { detail: string }[])[0]?.detail).toBe(
    'no ticket of this event has this id, and none is created without "setor"',
  );
  expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|f|t|9', 'event|c|t|t|4', 'event|d|f|t|9']);
});

test('a ticket that is created anew knows nothing of the times of one that was deleted', async () => {
  await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:15:00Z' });
  await tool.database.gates`delete from tickets where id = 'a'`;
  await listener.post({ id: 'a', setor: '4' }, { query: '?create=true' });
  expect((await listener.post({ id: 'a', entrou: true, at: '2025-03-26T23:10:00Z' })).answer['applied']).toBe(
    1,
  );
});

test('an event whose tickets a gate system brought, without naming it, is there', async () => {
  const eventId = 'd'.repeat(32);
  await insertTickets(tool.database.gates, [{ id: 'x', setor: '4', eventId }]);
  expect((await listener.post({ id: 'x', entrou: true }, { eventId })).status).toBe(200);
  const { answer } = await listener.post({ id: 'y', entrou: true }, { eventId });
  expect(answer['withoutEffect']).toMatchObject([{ detail: 'no ticket of this event has this id' }]);
});

test('single tickets that come together share commits, and a bad one harms no other', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `t${index}`);
  await sellTickets(tool.database, ids);
  const answers = await Promise.all(
    ids.map((id, index) => listener.post({ id, entrou: index % 10 === 0 ? 'yes' : true })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toEqual(ids.map((_, index) => (index % 10 === 0 ? 422 : 200)));
  expect(await tool.entered()).toBe(181);
  const commits = await tool.database
    .gates`select distinct xmin::text from tickets where id like 't%' and entrou`;
  expect(commits.length).toBeLessThan(100);
});

test('a board counts every commit: it equals a recount by SQL', async () => {
  const server = await startTestServer(tool.database);
  const viewer = await openPageClient(server.url);
  await until(() => expect(viewer.live).toBe(true));
  const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const sold = ids.map((id, index) => ({ id, setor: ['4', '9', 'X'][index % 3] }));
  await listener.post(sold, { query: '?create=true' });
  await Promise.all(ids.map((id) => listener.post({ id, entrou: true })));
  await listener.post(
    ids
      .slice(0, 50)
      .map((id) => JSON.stringify({ id, entrou: false }))
      .join('\n'),
  );
  await listener.post(ids.slice(0, 20).map((id) => ({ id, entrou: true, setor: '13' })));
  const right = await recount(tool.database.gates);
  expect(right.total).toBe(271);
  await until(() => expect([viewer.live, viewer.counts]).toEqual([true, right]));
  viewer.leave();
});

test('each minute, and at the end, the counts are logged by event, and no key', async () => {
  await listener.post([
    { id: 'a', entrou: true },
    { id: 'b', entrou: true },
  ]);
  await listener.post({ id: 'nobody', entrou: true });
  await listener.post({ id: 'a', entrou: 1 });
  await listener.stop();
  expect(tool.stderr).toMatch(
    new RegExp(
      `^\\S+Z event ${DEFAULT_EVENT_ID}: 3 requests, 1 applied, 1 unchanged, 1 kept \\(ticket\\), 1 refused \\(message\\), 1 answered 422$`,
      'm',
    ),
  );
  expect(tool.stderr).not.toContain('chave-para-catracas');
});

test('a database that lets nobody ask for its identifier is written to all the same', async () => {
  const { admin } = tool.database;
  await admin`revoke execute on function pg_control_system() from public`;
  await admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = 'triagem_gates'`;
  await until(async () => {
    expect((await listener.post({ id: 'a', entrou: true })).status).toBe(200);
    const ready = await (await fetch(`${listener.url}/readyz`)).json();
    expect(ready).toEqual({ status: 'writing' });
  });
  expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|f|t|9']);
});

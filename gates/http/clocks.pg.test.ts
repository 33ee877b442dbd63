import { beforeEach, expect, test, vi } from 'vitest';
import { insertTickets } from '../../testing/database/database.ts';
import { useGatesListener } from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { until } from '../../testing/until.ts';
import { openSession } from '../../database/database-session.ts';
import { ClockWatch, readClock } from './clock-watch.ts';
import { revert } from '../simulator/enter.ts';

const tool = useGatesTool();
const listener = useGatesListener(tool);

const HOUR_MS = 3_600_000;
const { now } = Date;

beforeEach(async () => {
  await insertTickets(tool.database.gates, [{ id: 'a', setor: '4' }]);
});

/** Sets the clock of this process, in which `listen` runs. */
function setClock(aheadMs: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
}

async function ready(): Promise<unknown> {
  const response = await fetch(`${listener.url}/readyz`);
  return [response.status, await response.json()];
}

test('the clock of a database that rounds numbers is right', async () => {
  const clocks = new ClockWatch(() => {});
  const session = openSession(tool.database.gatesUrl, { extra_float_digits: '-10' });
  await readClock(session.sql, clocks);
  await session.end();
  expect(clocks.warning).toBeUndefined();
});

test("while this machine's clock is three hours behind, right entries count, and the log names the clocks that differ", async () => {
  setClock(-3 * HOUR_MS);
  const entered = { id: 'a', entrou: true, gate: 'portão 7', at: new Date(now()).toISOString() };
  const { status, answer } = await listener.post(entered);
  expect([status, answer]).toMatchObject([200, { applied: 1, ahead: 1, refused: 0 }]);
  expect(await tool.entered()).toBe(1);
  const left = { ...entered, entrou: false, at: new Date(now() + 1).toISOString() };
  expect((await listener.post(left)).answer).toMatchObject({ applied: 1, ahead: 1 });
  expect((await listener.post(entered)).answer).toMatchObject({ older: 1 });
  const warning = expect.stringMatching(
    /The clock of the database is 3\.0 h ahead of this machine's\. The gate "portão 7" sent times 3\.0 h ahead/,
  );
  await until(async () => expect(await ready()).toMatchObject([200, { status: 'writing', warning }]));
  await until(() => expect(tool.stderr).toMatch(/The clock of the database is 3\.0 h ahead/));
  const metrics = await (await fetch(`${listener.url}/metrics`)).text();
  expect(metrics).toMatch(/^triagem_gates_database_clock_ahead_seconds (10799|10800)/m);
  expect(metrics).toMatch(/^triagem_gates_clocks_differing 1$/m);
  expect(metrics).toMatch(/^triagem_gates_ahead_total 3$/m);
  // Set right, it goes on with the times that gates send.
  setClock(0);
  const again = { id: 'a', entrou: true, at: new Date(now()).toISOString() };
  expect((await listener.post(again)).answer).toMatchObject({ applied: 1, ahead: 0 });
  expect((await listener.post(left)).answer).toMatchObject({ older: 1 });
  await until(async () => expect(JSON.stringify(await ready())).not.toMatch('clock of the database'));
});

test('a revert holds against an older entry also where the clock of the database is an hour behind', async () => {
  setClock(HOUR_MS);
  const atMs = now() + HOUR_MS;
  const enteredAgo = (minutes: number) => {
    const at = new Date(atMs - minutes * 60_000).toISOString();
    return { id: 'a', entrou: true, at };
  };
  expect((await listener.post(enteredAgo(5))).answer).toMatchObject({ applied: 1 });
  expect(await tool.run(revert, '--id', 'a')).toBe(0);
  for (const minutes of [30, 5]) {
    expect((await listener.post(enteredAgo(minutes))).answer).toMatchObject({ applied: 0 });
  }
  expect(await tool.entered()).toBe(0);
  expect((await listener.post(enteredAgo(1))).answer).toMatchObject({ applied: 1 });
});

test('what is kept of a ticket and was ahead is ordered by its arrival, too', async () => {
  const at = (aheadMs: number): string => new Date(now() + aheadMs).toISOString();
  await listener.post({ id: 'c', entrou: true, at: at(5 * HOUR_MS) });
  await listener.post({ id: 'c', entrou: false, at: at(0) });
  await insertTickets(tool.database.gates, [{ id: 'c', setor: '4' }]);
  await until(async () => expect(await tool.database.gates`select from kept_readings`).toHaveLength(0));
  expect(await tool.entered()).toBe(0);
});

test('kept and refused messages are counted by their reason, in the metrics and, for the desk, in the database', async () => {
  const metrics = async (): Promise<string[]> =>
    (await (await fetch(`${listener.url}/metrics`)).text()).split('\n');
  // Of a series that is not there before its first message, Prometheus sees no increase.
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      ...['message', 'time', 'database'].map(
        (reason) => `triagem_gates_messages_total{outcome="refused",reason="${reason}"} 0`,
      ),
      ...[409, 422, 503].map((status) => `triagem_gates_answers_total{status="${status}"} 0`),
    ]),
  );
  await listener.post([
    { id: 'x', entrou: true },
    { id: 'a', entrou: true },
    { id: 'a', entrou: 1 },
    { id: 'a', entrou: true, at: 'now' },
  ]);
  await listener.post({ id: 'a', entrou: 'no' });
  await listener.post({ id: 'a', entrou: 'no' }, { eventId: 'e'.repeat(32) });
  await until(async () => {
    const lines = await metrics();
    for (const line of [
      'triagem_gates_messages_total{outcome="applied",reason=""} 1',
      'triagem_gates_messages_total{outcome="kept",reason="ticket"} 1',
      'triagem_gates_messages_total{outcome="refused",reason="message"} 3',
      'triagem_gates_messages_total{outcome="refused",reason="time"} 1',
      'triagem_gates_kept{reason="ticket"} 1',
    ]) {
      expect(lines).toContain(line);
    }
  });
  await until(async () => {
    const rows = await tool.database.gates`
      select reason, sum(count)::int as count, bool_and(minute = date_trunc('minute', minute)) as "isMinute"
      from refused_readings group by reason order by reason`;
    expect(rows).toEqual([
      { reason: 'message', count: 2, isMinute: true },
      { reason: 'time', count: 1, isMinute: true },
    ]);
  });
});

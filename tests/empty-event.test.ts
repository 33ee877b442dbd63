import { beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { insertTickets } from '../testing/tickets.ts';
import { until } from '../testing/until.ts';

const OTHER_EVENT = 'a'.repeat(32);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

/** What /readyz answers, once it is 200. */
async function readiness({ url }: TestServer): Promise<{ status: string; warning?: string }> {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(200);
  return (await response.json()) as { status: string; warning?: string };
}

/** The lines about it in the log. */
function told({ logged }: TestServer): unknown[] {
  return logged.map(({ msg }) => msg).filter((text) => String(text).startsWith('the event shown'));
}

const NO_TICKET = 'the event shown has no ticket';
const TICKETS = 'the event shown has tickets now, or no other event has any';

test('a board whose event has no ticket while others have some says so, for as long as it is so', async () => {
  const { gates } = database;
  const board = await startTestServer(database);
  await until(async () => expect(await readiness(board)).toEqual({ status: 'observing' }));

  // Tickets that go to another event while the board runs. One that counts nowhere is a ticket, too.
  await insertTickets(gates, [
    { id: 'a', setor: '4', eventId: OTHER_EVENT, valid: false },
    { id: 'b', setor: '4', eventId: OTHER_EVENT, entrou: true },
    { id: 'c', setor: '4', eventId: 'b'.repeat(32), valid: false },
  ]);
  const warning =
    `The event ${DEFAULT_EVENT_ID} has no ticket, but ${OTHER_EVENT} has 2, ${'b'.repeat(32)} has 1: ` +
    'correct EVENT_ID, or import the tickets into this event';
  await until(async () => expect(await readiness(board)).toEqual({ status: 'observing', warning }));
  await until(() => expect(told(board)).toEqual([NO_TICKET]));
  expect(board.logged.find(({ msg }) => msg === NO_TICKET)).toMatchObject({ level: 40, reason: warning });

  // A board that starts beside them.
  const later = await startTestServer(database);
  await until(async () => expect(await readiness(later)).toEqual({ status: 'observing', warning }));

  await insertTickets(gates, [{ id: 'd', setor: '4', valid: false }]);
  for (const each of [board, later]) {
    await until(async () => expect(await readiness(each)).toEqual({ status: 'observing' }));
  }
  await until(() => expect(told(board)).toEqual([NO_TICKET, TICKETS]));

  await gates`delete from tickets where event_id = ${DEFAULT_EVENT_ID}`;
  await until(async () => expect(await readiness(board)).toHaveProperty('warning'));
  await gates`delete from tickets`;
  await until(async () => expect(await readiness(board)).toEqual({ status: 'observing' }));
  await Promise.all([board.stop(), later.stop()]);
});

test('sectors without a key: a warning names the fix, and the counts stay live', async () => {
  const { admin } = database;
  const board = await startTestServer(database);
  await until(async () => expect(await readiness(board)).toEqual({ status: 'observing' }));
  await admin`alter table sectors drop constraint sectors_pkey`;
  const words = /public\.sectors has no replica identity.*: (ALTER TABLE .*)$/;
  await until(async () => expect((await readiness(board)).warning).toMatch(words));
  const warned = board.logged.filter(({ msg }) => words.test(String(msg)));
  expect(warned).toEqual([expect.objectContaining({ level: 40 })]);
  await admin.unsafe(words.exec(String(warned[0]?.['msg']))?.[1] ?? '');
  await until(async () => expect(await readiness(board)).toEqual({ status: 'observing' }));
  await board.stop();
});

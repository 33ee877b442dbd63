import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase, insertTickets } from '../testing/database/database.ts';
import { DESK_KEY } from '../testing/desk/desk-app.ts';
import { freePort } from '../testing/server/free-port.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { readiness, startTestServer, type TestServer } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

const OTHER_EVENT = 'a'.repeat(32);

const database = openForAll(createTestDatabase);

/** What /readyz answers with 200 before long. */
function expectReady(server: TestServer, answer: object = { status: 'observing' }): Promise<void> {
  return until(async () => {
    const { status, text } = await readiness(server);
    expect([status, JSON.parse(text)]).toEqual([200, answer]);
  });
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
  await expectReady(board);

  // Tickets that go to another event while the board runs. One that counts nowhere is a ticket, too.
  await insertTickets(gates, [
    { id: 'a', setor: '4', eventId: OTHER_EVENT, valid: false },
    { id: 'b', setor: '4', eventId: OTHER_EVENT, entrou: true },
    { id: 'c', setor: '4', eventId: 'b'.repeat(32), valid: false },
  ]);
  const warning =
    `The event ${DEFAULT_EVENT_ID} has no ticket, but ${OTHER_EVENT} has 2, ${'b'.repeat(32)} has 1: ` +
    'correct EVENT_ID, or import the tickets into this event';
  await expectReady(board, { status: 'observing', warning });
  await until(() => expect(told(board)).toEqual([NO_TICKET]));
  expect(board.logged.find(({ msg }) => msg === NO_TICKET)).toMatchObject({ level: 40, reason: warning });

  // A board that starts beside them.
  const later = await startTestServer(database);
  await expectReady(later, { status: 'observing', warning });

  await insertTickets(gates, [{ id: 'd', setor: '4', valid: false }]);
  for (const each of [board, later]) await expectReady(each);
  await until(() => expect(told(board)).toEqual([NO_TICKET, TICKETS]));

  await gates`delete from tickets where event_id = ${DEFAULT_EVENT_ID}`;
  await expectReady(board, { status: 'observing', warning: expect.anything() });
  await gates`delete from tickets`;
  await expectReady(board);
});

test('sectors without a key: a warning names the fix, and the counts stay live', async () => {
  const { admin } = database;
  const board = await startTestServer(database);
  await expectReady(board);
  await admin`alter table sectors drop constraint sectors_pkey`;
  const words = /public\.sectors has no replica identity.*: (ALTER TABLE .*)$/;
  await expectReady(board, { status: 'observing', warning: expect.stringMatching(words) });
  const warned = board.logged.filter(({ msg }) => words.test(String(msg)));
  expect(warned).toEqual([expect.objectContaining({ level: 40 })]);
  // A second warning stands beside the first.
  const eventId = 'c'.repeat(32);
  await insertTickets(database.gates, [{ id: 'e', setor: '4', eventId }]);
  const both = new RegExp(
    `${words.source.slice(0, -1)}\\. The event ${DEFAULT_EVENT_ID} has no ticket, but ${eventId} has 1`,
  );
  await expectReady(board, { status: 'observing', warning: expect.stringMatching(both) });
  await database.gates`delete from tickets where event_id = ${eventId}`;
  await admin.unsafe(words.exec(String(warned[0]?.['msg']))?.[1] ?? '');
  await expectReady(board);
});

test('a record that cannot be reached is a warning from the start on, and the counts are live', async () => {
  const RECORD_DATABASE_URL = `postgres://record@127.0.0.1:${await freePort()}/triagem`;
  const board = await startTestServer(database, { DESK_KEY, RECORD_DATABASE_URL });
  const warning = expect.stringMatching(/^The record of the flow cannot be written .*127\.0\.0\.1/);
  await expectReady(board, { status: 'observing', warning });
});

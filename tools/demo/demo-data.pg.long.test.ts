import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Venue } from '../../domain/venue.ts';
import { simulatedIds } from '../../gates/simulator/simulated-id.ts';
import { createTestDatabase, insertTickets } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { prepareDemo } from './demo-data.ts';
import { earlierMatchIds } from './earlier-matches.ts';

const database = openForAll(createTestDatabase);
const printed: string[] = [];

const venue = (...codes: string[]): Venue => ({
  name: 'Arena',
  sectors: codes.map((code) => ({ code, name: code, stand: code, codes: [code], capacity: 200 })),
});
const SMALL = venue('a', 'b');
const MINUTES = 130 + 62;

async function prepare(at: Venue = SMALL, signal = new AbortController().signal): Promise<void> {
  const { ownerUrl, gatesUrl, recordUrl } = database;
  const print = (line: string): void => void printed.push(line);
  await prepareDemo(
    { ownerUrl, gatesUrl, recordUrl, dataDir: '/demo' },
    { eventId: DEFAULT_EVENT_ID, venue: at, signal, print },
  );
}

/** 'source', minutes and entries of each event. */
async function recorded(): Promise<Record<string, readonly [string, number, number]>> {
  const rows = await database.admin<{ id: string; source: string; minutes: number; entries: number }[]>`
    select event_id as id, source, count(distinct minute)::int as minutes,
      (select count(*)::int from triagem.log l where l.event_id = m.event_id) as entries
    from triagem.minutes m group by event_id, source order by event_id`;
  return Object.fromEntries(rows.map(({ id, source, minutes, entries }) => [id, [source, minutes, entries]]));
}

const allOf = (at: Venue): object =>
  Object.fromEntries(earlierMatchIds(at).map((id) => [id, ['simulated', MINUTES, 1]]));

async function addMinute(eventId: string, source: 'live' | 'simulated'): Promise<void> {
  await database.admin`
    insert into triagem.minutes (event_id, source, minute, sector, admitted, net, lots, valid)
    values (${eventId}, ${source}, '2026-01-01T10:00Z', 'a', 1, 1, 0, 9)`;
}

beforeEach(async () => {
  printed.length = 0;
  await database.admin`truncate triagem.minutes, triagem.log`;
});

test('a demo brings twelve earlier matches, and says so, once', async () => {
  await prepare();
  expect(await recorded()).toEqual(allOf(SMALL));
  expect(printed).toEqual(['Inventing twelve earlier matches...']);
  await prepare();
  expect(await recorded()).toEqual(allOf(SMALL));
  expect(printed).toHaveLength(1);
});

test('its own event begins afresh, and so does its kick-off; a match that somebody recorded stays', async () => {
  const other = 'a'.repeat(32);
  await addMinute(DEFAULT_EVENT_ID, 'simulated');
  await addMinute(DEFAULT_EVENT_ID, 'live');
  await addMinute(other, 'live');
  await database.gates`insert into events (id) values (${DEFAULT_EVENT_ID})`;
  await database.gates`
    insert into event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Final', '2026-01-01T10:00Z', '2026-01-01T12:00Z')`;
  await prepare();
  expect(await recorded()).toEqual({ ...allOf(SMALL), [other]: ['live', 1, 0] });
  const details = await database.gates`select title, gates_open_at, kick_off_at from event_details`;
  expect([...details]).toEqual([{ title: 'Final', gates_open_at: null, kick_off_at: null }]);
});

test('the tickets of the demo before go, unless somebody has put others among them', async () => {
  const simulated = simulatedIds(DEFAULT_EVENT_ID);
  const ticketIds = async () =>
    (await database.gates`select id from tickets order by id`).map(({ id }) => id);
  await insertTickets(database.gates, {
    inside: { [simulated(1)]: '4' },
    outside: { [simulated(2)]: '4', theirs: '4' },
  });
  await prepare();
  expect(await ticketIds()).toHaveLength(3);
  await database.gates`delete from tickets where id = 'theirs'`;
  await prepare();
  expect(await ticketIds()).toEqual([]);
});

test('another venue has earlier matches of its own', async () => {
  await prepare();
  const field = venue('x');
  await prepare(field);
  expect(await recorded()).toEqual(allOf(field));
});

test('a match that was not added whole is added anew', async () => {
  const [first = ''] = earlierMatchIds(SMALL);
  await addMinute(first, 'simulated');
  await prepare();
  expect(await recorded()).toEqual(allOf(SMALL));
});

test('the preparation can be aborted between two matches', async () => {
  const stopped = AbortSignal.abort(new Error('Ctrl-C'));
  await expect(prepare(SMALL, stopped)).rejects.toThrow('Ctrl-C');
  expect(await recorded()).toEqual({});
});

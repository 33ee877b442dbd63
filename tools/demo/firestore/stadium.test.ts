import { expect, test } from 'vitest';
import { GATES_OPEN_MINUTE, LAST_ARRIVAL_MINUTE } from '../../../gates/simulator/arrival-curve.ts';
import { letIn } from '../../../gates/simulator/let-in.ts';
import { generateTickets } from '../../../gates/simulator/simulated-tickets.ts';
import { openServerClient } from '../../../testing/firestore/server-client.ts';
import { startFirestoreStandIn } from '../../../testing/firestore/stand-in.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { Stadium } from './stadium.ts';

const EVENT_ID = 'final';
const standIn = openForAll(() => startFirestoreStandIn());
const never = new AbortController().signal;

test('a stadium is loaded and lets its spectators in, some of whom are taken back', async () => {
  const firestore = openServerClient(standIn.host, 'demo-stadium');
  const stadium = new Stadium(firestore, EVENT_ID);
  const tickets = generateTickets(EVENT_ID, 1_300);
  const progress: number[] = [];
  await stadium.load(tickets, never, (count) => progress.push(count));
  expect(progress.toSorted((a, b) => a - b)).toEqual([500, 1_000, 1_300]);

  const collection = firestore.collection(`events/${EVENT_ID}/tickets`);
  const sold = await collection.get();
  expect(sold.docs.map((document) => [document.id, document.data()])).toEqual(
    tickets.map(({ id, isValid, setor }) => [id, { isValidTicket: isValid, entrou: false, setor }]),
  );
  let opened = 0;
  const entered = await letIn(stadium.mark, {
    tickets,
    // The whole match within a second.
    speed: (LAST_ARRIVAL_MINUTE - GATES_OPEN_MINUTE) * 60,
    incidents: [],
    writers: 1,
    onGatesOpen: () => (opened += 1),
    stopped: never,
  });
  const inside = await collection.where('entrou', '==', true).count().get();
  expect([opened, inside.data().count]).toEqual([1, entered]);
  expect(entered).toBeGreaterThan(1_100);
});

test('loading ends early when it is stopped', async () => {
  const stadium = new Stadium(openServerClient(standIn.host, 'demo-stopped'), EVENT_ID);
  const counts: number[] = [];
  await stadium.load(generateTickets(EVENT_ID, 5_000), AbortSignal.abort(), (count) => counts.push(count));
  expect(counts).toEqual([]);
});

test('the document of the event has its title, and its times once the gates have opened', async () => {
  const firestore = openServerClient(standIn.host, 'demo-times');
  const stadium = new Stadium(firestore, EVENT_ID);
  const event = firestore.doc(`events/${EVENT_ID}`);
  await stadium.describe('Palestra × Atlético', undefined);
  expect((await event.get()).data()).toEqual({ title: 'Palestra × Atlético' });
  const gatesOpenMs = Date.UTC(2026, 10, 22, 19, 30);
  await stadium.describe('Palestra × Atlético', gatesOpenMs);
  const data = (await event.get()).data() as Record<'gates_open_at' | 'kick_off_at', { toMillis(): number }>;
  expect([data.gates_open_at.toMillis(), data.kick_off_at.toMillis()]).toEqual([
    gatesOpenMs,
    gatesOpenMs + 7_200_000,
  ]);
});

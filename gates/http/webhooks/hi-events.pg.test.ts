import { createHmac } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { sellTickets, shareGatesListener } from '../../../testing/gates/gates-listener.ts';
import { MAX_WEBHOOK_BYTES } from '../limits.ts';

const SECRET = 'um-segredo-do-hi-events';
const { database, listener } = shareGatesListener(undefined, () => ({
  GATES_HI_EVENTS_SECRET: `outro-segredo,${SECRET}`,
}));

beforeEach(async () => {
  await database.gates`delete from tickets`;
  await database.gates`delete from ticket_times`;
  await database.gates`delete from kept_readings`;
  await sellTickets(database, ['A-1']);
});

interface Sent {
  readonly query?: string;
  readonly signature?: string | undefined;
  readonly type?: string;
}

async function post(body: unknown, { query = '', type = 'application/json', ...more }: Sent = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = 'signature' in more ? more.signature : sign(text);
  const response = await fetch(`${listener.url}/events/${DEFAULT_EVENT_ID}/hi-events${query}`, {
    method: 'POST',
    headers: { 'content-type': type, ...(signature !== undefined && { signature }) },
    body: text,
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

function sign(text: string, secret = SECRET): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

const at = (second: number): string => `2025-03-26T23:15:${String(second).padStart(2, '0')}+00:00`;

function checkin(what: 'created' | 'deleted', second: number, more: object = {}) {
  const holder = { id: 5, public_id: 'A-1', status: 'ACTIVE', product_id: 9 };
  const payload = { id: 1, attendee_id: 5, check_in_list_id: 7, product_id: 9, attendee: holder, ...more };
  return { event_type: `checkin.${what}`, event_sent_at: at(second), payload };
}

function attendee(what: string, second: number, more: object = {}) {
  const payload = { id: 5, public_id: 'A-1', status: 'ACTIVE', product_id: 9, ...more };
  return { event_type: `attendee.${what}`, event_sent_at: at(second), payload };
}

async function tickets(): Promise<string[]> {
  const rows = await database.gates<{ text: string }[]>`
    select concat_ws('|', id, is_valid_ticket, entrou, setor) as text from tickets order by id`;
  return rows.map(({ text }) => text);
}

test('a check-in enters, one that is deleted is taken back, and what comes late or twice changes nothing', async () => {
  expect(await post(checkin('created', 1))).toMatchObject({ status: 200, answer: { applied: 1 } });
  expect(await tickets()).toEqual(['A-1|t|t|4']);
  expect((await post(checkin('deleted', 3))).answer).toMatchObject({ applied: 1 });
  for (const late of [checkin('created', 1), checkin('created', 2)])
    expect((await post(late)).answer).toMatchObject({ older: 1 });
  expect(await tickets()).toEqual(['A-1|t|f|4']);
});

test('within one second the order of arrival counts', async () => {
  await post(checkin('created', 1));
  expect((await post(checkin('deleted', 1))).answer).toMatchObject({ applied: 1 });
  expect(await tickets()).toEqual(['A-1|t|f|4']);
});

test('one who is cancelled is not valid, though the status still says so; else the status decides', async () => {
  await post(attendee('cancelled', 1));
  expect(await tickets()).toEqual(['A-1|f|f|4']);
  await post(attendee('updated', 2));
  expect(await tickets()).toEqual(['A-1|t|f|4']);
  await post(attendee('updated', 3, { status: 'AWAITING_PAYMENT' }));
  expect(await tickets()).toEqual(['A-1|f|f|4']);
});

test('with ?create=true an attendee becomes a ticket of the sector that the product names; without, none moves', async () => {
  const created = attendee('created', 1, { public_id: 'A-2' });
  expect((await post(created)).answer).toMatchObject({ kept: 1 });
  expect((await post(created, { query: '?create=true' })).answer).toMatchObject({ created: 1 });
  await post(attendee('updated', 2));
  expect(await tickets()).toEqual(['A-1|t|f|4', 'A-2|t|f|9']);
});

test('only the lists that the address names count, and other events say nothing of a ticket', async () => {
  const query = '?list=8&list=9';
  expect((await post(checkin('created', 1), { query })).answer).toMatchObject({ messages: 0 });
  for (const type of ['order.created', 'product.updated', 'constructor', '__proto__', 7])
    expect((await post({ ...checkin('created', 1), event_type: type })).answer).toMatchObject({
      messages: 0,
    });
  expect((await post(checkin('created', 1), { query: '?list=7&list=8' })).answer).toMatchObject({
    applied: 1,
  });
});

const ENTERS = JSON.stringify(checkin('created', 1));

test.each([
  ['none', undefined],
  ['that of another secret', sign(ENTERS, 'um-segredo-do-hi-events2')],
  ['that of another body', sign(`${ENTERS} `)],
  ['too short', sign(ENTERS).slice(2)],
  ['no hexadecimal', 'z'.repeat(64)],
])(
  'a signature that is %s: 401 or, after ten, 429; a right one is taken all the same',
  async (_what, signature) => {
    for (let time = 0; time < 4; time += 1)
      expect((await post(ENTERS, { signature })).status).toBeOneOf([401, 429]);
    expect(await tickets()).toEqual(['A-1|t|f|4']);
    expect((await post(ENTERS)).answer).toMatchObject({ applied: 1 });
  },
);

test('after ten wrong signatures: 429', async () => {
  let last = 0;
  for (let time = 0; time <= 10; time += 1) last = (await post(ENTERS, { signature: sign('x') })).status;
  expect(last).toBe(429);
});

test.each([
  ['no JSON', '{'],
  ['an array', '[]'],
  ['no ticket', { ...checkin('created', 1), payload: null }],
  ['a number for the ticket', attendee('updated', 1, { public_id: 5 })],
  ['a number for the status', attendee('updated', 1, { status: 1 })],
  ['no time', { ...checkin('created', 1), event_sent_at: undefined }],
  ['a number for the time', { ...checkin('created', 1), event_sent_at: 1_742_944_500 }],
  ['a path for an object', { ...checkin('created', 1), payload: 'attendee.public_id' }],
])('signed, but with %s: 422, and nothing changes', async (_what, body) => {
  expect((await post(body)).status).toBe(422);
  expect(await tickets()).toEqual(['A-1|t|f|4']);
});

test('a body of 1 MB, another type, an unknown query and another event are refused', async () => {
  const padded = { ...checkin('created', 1), padding: 'x'.repeat(2 ** 20) };
  expect((await post(padded)).status).toBe(413);
  const fits = { ...checkin('created', 1), padding: 'x'.repeat(MAX_WEBHOOK_BYTES - 1_000) };
  expect((await post(fits)).status).toBe(200);
  expect((await post(ENTERS, { type: 'application/x-ndjson' })).status).toBe(415);
  expect((await post(ENTERS, { query: '?lists=7' })).status).toBe(400);
  const unset = await fetch(`${listener.url}/events/${DEFAULT_EVENT_ID}/pretix`, { method: 'POST' });
  expect(unset.status).toBe(404);
});

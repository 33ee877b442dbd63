import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { shareGatesListener } from '../../testing/gates/gates-listener.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import {
  CLOCK_TOLERANCE_MS,
  MAX_BODY_BYTES,
  MAX_KEPT,
  MAX_LISTED_ERRORS,
  MAX_MESSAGES,
  MAX_REQUESTS,
} from './limits.ts';

const DOCS = readFileSync(join(PROJECT_ROOT, 'docs/gates.md'), 'utf8');

const HI_EVENTS_SECRET = 'um-segredo-do-hi-events';
const { database, listener } = shareGatesListener(undefined, () => ({
  GATES_HI_EVENTS_SECRET: HI_EVENTS_SECRET,
}));

/** The block of code under this mark of docs/gates.md. */
function blockOf(mark: string): string {
  const [, block] = new RegExp(`<!-- ${mark} -->\\n\\n\`\`\`\\w+\\n([^]*?)\`\`\``).exec(DOCS) ?? [];
  if (block === undefined) throw new Error(`docs/gates.md has no block "${mark}"`);
  return block;
}

async function mappingOf(name: string): Promise<Record<string, (...args: unknown[]) => unknown>> {
  const code = encodeURIComponent(blockOf(`mapping: ${name}`));
  return (await import(/* @vite-ignore */ `data:text/javascript,${code}`)) as never;
}

async function entered(id: string): Promise<unknown> {
  const [row] = await database.gates<{ entrou: boolean; at: Date }[]>`
    select entrou, at from tickets join ticket_times using (event_id, id) where id = ${id}`;
  return [row?.entrou, row?.at.toISOString()];
}

test('the example of Ticketmaster Presence, mapped by docs/gates.md, enters and exits', async () => {
  await insertTickets(database.gates, [{ id: '721744537954', setor: 'PIT1' }]);
  const { messageOf } = await mappingOf('presence');
  const sent = JSON.parse(blockOf('example: presence')) as { scanTime: number };
  expect((await listener.post(messageOf?.('presence/v1/ticket/enter', sent))).answer).toMatchObject({
    applied: 1,
  });
  expect(await entered('721744537954')).toEqual([true, '2016-11-24T16:00:00.001Z']);
  const exit = { ...sent, scanTime: sent.scanTime + 1 };
  expect((await listener.post(messageOf?.('presence/v1/ticket/exit', exit))).answer).toMatchObject({
    applied: 1,
  });
  expect((await listener.post(messageOf?.('presence/v1/ticket/enter', sent))).answer).toMatchObject({
    older: 1,
  });
  expect(await entered('721744537954')).toEqual([false, '2016-11-24T16:00:00.002Z']);
});

test('the example of Control iD, mapped by docs/gates.md, enters, and what is not granted does not', async () => {
  await insertTickets(database.gates, [{ id: '1024', setor: '4' }]);
  const { messagesOf } = await mappingOf('control-id');
  const text = blockOf('example: control-id');
  expect(messagesOf?.(JSON.parse(text.replace('"7"', '"3"')))).toEqual([]);
  expect(messagesOf?.(JSON.parse(text.replace('"1024"', '"0"')))).toEqual([]);
  expect((await listener.post(messagesOf?.(JSON.parse(text)))).answer).toMatchObject({ applied: 1 });
  expect(await entered('1024')).toEqual([true, '2018-07-30T18:58:10.000Z']);
});

test('the example of Hi.Events in docs/gates.md enters, at the address that stands there', async () => {
  await insertTickets(database.gates, [{ id: 'A-7KQ2M9', setor: '4' }]);
  const body = blockOf('example: hi-events');
  const [, path = ''] = /\/gates(\/events\/ID\/hi-events\S*)`/.exec(DOCS) ?? [];
  const signature = createHmac('sha256', HI_EVENTS_SECRET).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', signature };
  const address = `${listener.url}${path.replace('ID', DEFAULT_EVENT_ID)}`;
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
  expect(await entered('A-7KQ2M9')).toEqual([true, '2025-03-26T23:15:00.000Z']);
});

test('the answer that docs/gates.md shows is the one that is given, and its limits are those', async () => {
  await insertTickets(database.gates, [{ id: 'A-0001', setor: '4' }]);
  const [, body = ''] = /-d '([^']*)'/.exec(DOCS) ?? [];
  const { answer } = await listener.post(JSON.parse(body));
  const [, documented = ''] = /```json\n([^`]*"messages"[^`]*)```/.exec(DOCS) ?? [];
  expect(answer).toEqual(JSON.parse(documented));
  expect([
    MAX_BODY_BYTES,
    MAX_MESSAGES,
    CLOCK_TOLERANCE_MS,
    MAX_KEPT,
    MAX_LISTED_ERRORS,
    MAX_REQUESTS,
  ]).toEqual([16 * 2 ** 20, 200_000, 2_000, 100_000, 20, 1_000]);
});

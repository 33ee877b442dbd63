import { expect, test } from 'vitest';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { openForEach } from '../../testing/open-for-tests.ts';

const app = openForEach(async () => {
  const started = await startDeskApp({ deskOptions: { commandMs: 50 } });
  return { ...started, ana: await openDesk(started.url, { name: 'Ana', key: DESK_KEY }) };
});

/** Returns the reason of a refusal, else the status. */
async function say(command: Readonly<Record<string, unknown>>): Promise<string | number> {
  const response = await app.ana.command({ text: undefined, ...command });
  const { reason } = (await response.json()) as { readonly reason?: string };
  return reason ?? response.status;
}

const ID = '0b1c9f6e-4a51-4c6e-9d0a-2f6a3f0e7d11';

test('a command is answered with its place in the log, where it stands with the name of its session', async () => {
  const response = await app.ana.command({ id: ID, kind: 'mark', sector: '4', mark: 'unscanned' });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ seq: 1 });
  expect(app.desk.rows).toMatchObject([
    { id: ID, by: 'Ana', kind: 'mark', sector: '4', data: { mark: 'unscanned' } },
  ]);
});

test('the same command again is answered with the same place, and is there once', async () => {
  for (const id of [ID, ID, ID.toUpperCase()]) {
    const response = await app.ana.command({ id, text: 'chuva' });
    expect(await response.json()).toEqual({ seq: 1 });
  }
  expect(app.desk.rows.map(({ by }) => by)).toEqual(['Ana']);
});

test.each([
  { kind: 'occurrence', text: 'granizo' },
  { kind: 'occurrence', text: 'chuva', sector: '4' },
  { kind: 'evacuation' },
])('an id that stands for another command is refused: %j', async (other) => {
  await app.ana.command({ id: ID, text: 'chuva' });
  const response = await app.ana.command({ id: ID, ...other });
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({ status: 409, reason: 'id-in-use' });
  expect(app.desk.rows).toHaveLength(1);
});

test('a command of another operator than the one of the session is refused, and not recorded', async () => {
  const response = await app.ana.command({ text: 'chuva', by: 'Bia' });
  expect(response.status).toBe(409);
  expect(await response.json()).toMatchObject({ reason: 'other-operator' });
  expect(app.desk.rows).toEqual([]);
  expect((await app.ana.command({ text: 'chuva', by: ' Ana ' })).status).toBe(200);
  expect(app.desk.rows).toMatchObject([{ by: 'Ana', data: { text: 'chuva' } }]);
});

test('what makes no sense is refused with its reason', async () => {
  const response = await app.ana.command({ kind: 'take-back', entryId: 'none' });
  expect(response.status).toBe(409);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(await response.json()).toMatchObject({
    reason: 'no-such-entry',
    detail: 'the log has no entry with this id',
  });
});

test('a mark is over once, and was a mistake once, also after that; nothing else is either', async () => {
  const [other, occurrence] = [crypto.randomUUID(), crypto.randomUUID()];
  const takeBack = { kind: 'take-back', entryId: ID };
  const estimate = { kind: 'estimate', mark: ID, count: 150, how: 'a olho' };
  expect(await say(estimate)).toBe('no-such-entry');
  expect(await say({ id: ID, kind: 'mark', sector: '4', mark: 'unscanned' })).toBe(200);
  expect(await say({ id: other, kind: 'mark', sector: '4', mark: 'suspended' })).toBe(200);
  expect(await say({ id: occurrence, kind: 'occurrence', text: 'chuva' })).toBe(200);
  expect(await say({ ...estimate, mark: other })).toBe('no-such-entry');
  expect(await say({ ...takeBack, entryId: occurrence, why: 'mistake' })).toBe('no-such-entry');
  expect(await say(estimate)).toBe(200);
  expect(await say({ ...takeBack, why: 'ended' })).toBe(200);
  // As an older desk says it.
  for (const why of ['ended', undefined]) expect(await say({ ...takeBack, why })).toBe('taken-back');
  expect(await say(estimate)).toBe(200);
  expect(await say({ ...takeBack, why: 'mistake' })).toBe(200);
  for (const why of ['mistake', 'ended', undefined])
    expect(await say({ ...takeBack, why })).toBe('taken-back');
  expect(await say(estimate)).toBe('taken-back');
  // Another mark of the same kind can be set there again.
  expect(await say({ kind: 'mark', sector: '4', mark: 'unscanned' })).toBe(200);
  expect(app.desk.rows.filter(({ kind }) => kind === 'take-back').map(({ data }) => data)).toEqual([
    { id: ID, why: 'ended' },
    { id: ID, why: 'mistake' },
  ]);
});

test.each([
  { kind: 'evacuation' },
  { kind: 'entry-closed' },
  { kind: 'mark', sector: '4', mark: 'suspended' },
])('what was ended after an operator gave the same is not in force again: %j', async (given) => {
  const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
  expect(await say({ ...given, id, seenSeq: 0 })).toBe(200);
  expect(await say({ kind: 'mark', id: other, sector: null, mark: 'suspended', seenSeq: 0 })).toBe(200);
  expect(await say({ kind: 'take-back', entryId: id, seenSeq: 2 })).toBe(200);
  expect(await say({ ...given, seenSeq: 2 })).toBe('ended');
  // The same command again is answered as before, and what another one ended is no reason.
  expect(await say({ ...given, id, seenSeq: 0 })).toBe(200);
  expect(await say({ kind: 'take-back', entryId: other, seenSeq: 2 })).toBe(200);
  // One that has seen the end.
  expect(await say({ ...given, seenSeq: 3 })).toBe(200);
});

test('a mark that has ended since another desk called it a mistake stays as it ended', async () => {
  const takeBack = { kind: 'take-back', entryId: ID };
  expect(await say({ id: ID, kind: 'mark', sector: '4', mark: 'unscanned' })).toBe(200);
  expect(await say({ ...takeBack, why: 'ended', seenSeq: 1 })).toBe(200);
  expect(await say({ ...takeBack, why: 'mistake', seenSeq: 1 })).toBe('taken-back');
  expect(await say({ ...takeBack, why: 'mistake', seenSeq: 2 })).toBe(200);
});

test('what cannot be taken is named', async () => {
  expect(await (await app.ana.command({ text: 'chuva', by: 7 })).json()).toMatchObject({ field: 'by' });
  const response = await app.ana.command({ text: 'x'.repeat(501) });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    field: 'text',
    detail: 'text: give at most 500 characters',
  });
  expect(app.desk.rows).toEqual([]);
});

test('a text of 500 characters is taken, however it is escaped', async () => {
  const text = '🏟'.repeat(500);
  const escaped = '\\ud83c\\udfdf'.repeat(500);
  const body = `{"id":"${ID}","kind":"occurrence","text":"${escaped}"}`;
  const response = await app.ana.post(`${DESK_EVENT_PATH}/commands`, body, {
    'content-type': 'application/json',
  });
  expect(response.status).toBe(200);
  expect(app.desk.rows).toMatchObject([{ data: { text } }]);
});

test.each([
  { kind: 'standby' } as const,
  { kind: 'away', reason: 'no route to the record' } as const,
  { kind: 'silent' } as const,
])('nothing is answered with success that is not recorded: %j', async (record) => {
  app.desk.record = record;
  const response = await app.ana.command({ id: ID, text: 'chuva' });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('3');
  expect(await response.json()).toMatchObject({ title: 'Service Unavailable', status: 503 });
  app.desk.record = { kind: 'writer' };
  expect((await app.ana.command({ id: ID, text: 'chuva' })).status).toBe(200);
});

test('an internal error is answered with a problem without details, and is logged', async () => {
  app.desk.command = () => Promise.reject(new Error('of the inside'));
  const response = await app.ana.command({ text: 'chuva' });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('of the inside');
  expect(JSON.stringify(app.logged)).toContain('of the inside');
});

test('sixty commands a minute are taken of a session, and the others of another', async () => {
  const bruno = await openDesk(app.url, { name: 'Bruno', key: DESK_KEY });
  const statuses: number[] = [];
  const retryAfter: number[] = [];
  for (let index = 0; index < 65; index += 1) {
    const response = await app.ana.command({ text: `occurrence ${index}` });
    statuses.push(response.status);
    retryAfter.push(Number(response.headers.get('retry-after')));
  }
  expect(statuses).toEqual([...Array<number>(60).fill(200), ...Array<number>(5).fill(429)]);
  expect(Math.min(...retryAfter.slice(60))).toBeGreaterThan(0);
  // A new name is the same session.
  expect((await app.ana.post('/fluxo/api/operator', { name: 'Carla' })).status).toBe(204);
  expect((await app.ana.command({ text: 'chuva' })).status).toBe(429);
  expect((await bruno.command({ text: 'chuva' })).status).toBe(200);
  expect(app.desk.rows).toHaveLength(61);
});

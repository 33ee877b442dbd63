import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { deriveEventKey } from '../../fleet/events/event-keys.ts';
import { askAs } from '../../testing/server/ask-as.ts';
import { createTestDatabase, insertTickets, newEventId } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { readyz, startCounter, startEdge } from '../../testing/fleet/fleet.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { until } from '../../testing/until.ts';

/** Each under a name that is this machine, with a venue of its own. */
const EVENTS = [
  { counter: 'c1', host: '127.0.0.1', eventId: newEventId(), venue: 'campo-pequeno.json', rows: 4 },
  { counter: 'c2', host: 'localhost', eventId: newEventId(), venue: 'arena-grande.json', rows: 32 },
] as const;
/** No counter watches its flow. */
const UNWATCHED = { host: 'arena.exemplo.test', eventId: newEventId() };
const venueAt = (file: string): string => join(PROJECT_ROOT, 'venues', file);

test('the flows of two events, a counter each: every desk has its own event, log and record; an unwatched one reports that', async () => {
  const [nats, database] = await Promise.all([startNats(), createTestDatabase()]);
  for (const [index, { eventId }] of EVENTS.entries()) {
    const ids = Array.from({ length: index + 1 }, (_, n) => `ticket ${n}`);
    await insertTickets(
      database.gates,
      ids.map((id) => ({ id, eventId, setor: 'x', entrou: true })),
    );
  }
  const named = EVENTS.map(({ host, eventId, venue }) => [host, { eventId, venueFile: venueAt(venue) }]);
  const all = { ...Object.fromEntries(named), [UNWATCHED.host]: { eventId: UNWATCHED.eventId } };
  const file = makeTestFolder({ 'events.json': JSON.stringify(all) });
  for (const { counter, eventId, venue } of EVENTS) {
    await startCounter(nats, database.observerUrl, {
      env: {
        NODE_NAME: counter,
        EVENT_ID: eventId,
        VENUE_FILE: venueAt(venue),
        RECORD_DATABASE_URL: database.recordUrl,
      },
    });
  }
  const edge = await startEdge(nats, {
    env: { NODE_NAME: 'e1', DESK_KEY, EVENT_TITLE: '', EVENTS_FILE: join(file, 'events.json') },
  });
  await until(async () => expect((await readyz(edge)).follows?.counters).toEqual(['c1', 'c2']));

  for (const [index, { host, eventId, rows }] of EVENTS.entries()) {
    const url = `http://${host}:${new URL(edge.url).port}`;
    const desk = await openDesk(url, { name: 'Ana', key: deriveEventKey(DESK_KEY, 'desk', eventId) });
    const path = `/fluxo/api/events/${eventId}`;
    const stream = await openDeskStream(url, desk.cookie, path);
    await until(() =>
      expect(stream.state).toMatchObject({
        eventId,
        total: { admitted: index + 1 },
        record: { state: { kind: 'writer' } },
      }),
    );
    // One more: of the codes that are no row's.
    expect(stream.state?.rows).toHaveLength(rows + 1);
    const command = { id: crypto.randomUUID(), kind: 'occurrence', text: `chuva em ${host}` };
    expect((await desk.post(`${path}/commands`, command)).status).toBe(200);
  }
  for (const { eventId, host } of EVENTS) {
    const said = await database.admin<{ data: Extract<LogRow, { kind: 'occurrence' }>['data'] }[]>`
      select data from triagem.log where event_id = ${eventId} and kind = 'occurrence'`;
    expect(said.map(({ data }) => data.text)).toEqual([`chuva em ${host}`]);
  }

  const { host, eventId } = UNWATCHED;
  const key = deriveEventKey(DESK_KEY, 'desk', eventId);
  const { cookie } = await askAs(edge.url, host, '/fluxo/api/sign-in', {
    method: 'POST',
    headers: { origin: `http://${host}` },
    body: { name: 'Ana', key },
  });
  const refused = await askAs(edge.url, host, `/fluxo/api/events/${eventId}/log`, { headers: { cookie } });
  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('no counter')]);
});

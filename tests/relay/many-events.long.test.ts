import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE, knownCodes, type Venue } from '../../domain/venue.ts';
import { askAs } from '../../testing/server/ask-as.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import {
  createTestDatabase,
  insertTickets,
  newEventId,
  type TestDatabase,
} from '../../testing/database/database.ts';
import { readyz, startCounter, startEdge } from '../../testing/fleet/fleet.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openPageClient, type PageClient } from '../../testing/browser/page-client.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { ServerProcess } from '../../testing/server/server.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';

interface Event {
  readonly host: string;
  readonly eventId: string;
  readonly title: string;
  readonly venueFile?: string;
  readonly venue: Venue;
}

const venueAt = (file: string): Venue => readVenue(readFileSync(join(PROJECT_ROOT, 'venues', file), 'utf8'));

function eventAt(host: string, title: string, venueFile?: string): Event {
  const venue = venueFile === undefined ? DEFAULT_VENUE : venueAt(venueFile);
  return { host, eventId: newEventId(), title, venue, ...(venueFile !== undefined && { venueFile }) };
}

const EVENTS = [
  eventAt('castelao.exemplo.test', 'Palestra × Atlético'),
  eventAt('campo.exemplo.test', 'Várzea × Ponte', 'campo-pequeno.json'),
  eventAt('arena.exemplo.test', 'Norte × Sul', 'arena-grande.json'),
] as const;
const LATER = eventAt('depois.exemplo.test', 'Revanche', 'campo-pequeno.json');

function eventsFile(events: readonly Event[]): string {
  return JSON.stringify(
    Object.fromEntries(
      events.map(({ host, eventId, title, venueFile }) => [
        host,
        { eventId, title, ...(venueFile && { venueFile: join(PROJECT_ROOT, 'venues', venueFile) }) },
      ]),
    ),
  );
}

/** One more ticket that has entered for every code of the venue, and one that no venue knows. */
async function enterEverywhere({ gates }: TestDatabase, { eventId, venue }: Event): Promise<void> {
  const codes = [...knownCodes(venue), 'nobody knows'];
  await insertTickets(
    gates,
    codes.map((setor) => ({ id: newEventId(), setor, entrou: true, eventId })),
  );
}

interface Fleet {
  readonly database: TestDatabase;
  readonly edge: ServerProcess;
  readonly path: string;
}

const fleet = openForAll(async (): Promise<Fleet> => {
  const path = join(makeTestFolder({ 'events.json': eventsFile(EVENTS) }), 'events.json');
  const [nats, database] = await Promise.all([startNats(), createTestDatabase()]);
  const env = (NODE_NAME: string): Record<string, string> => ({ NODE_NAME });
  for (const name of ['c1', 'c2']) await startCounter(nats, database.observerUrl, { env: env(name) });
  const edge = await startEdge(nats, { env: { ...env('e1'), EVENT_TITLE: '', EVENTS_FILE: path } });
  await until(async () => expect((await readyz(edge)).follows?.counters).toEqual(['c1', 'c2']));
  return { database, edge, path };
});

async function expectExact(client: PageClient, { eventId, venue }: Event): Promise<void> {
  await until(async () => {
    expect(client.counts).toEqual(await recount(fleet.database.admin, venue.sectors, eventId));
    expect(client.live).toBe(true);
  });
}

test('an edge displays three events of different venues, each under its host, each exact', async () => {
  const clients = await Promise.all(EVENTS.map(({ host }) => openPageClient(fleet.edge.url, { host })));
  for (const [index, event] of EVENTS.entries()) {
    for (let round = 0; round <= index; round += 1) await enterEverywhere(fleet.database, event);
  }
  for (const [index, event] of EVENTS.entries()) {
    const client = clients[index];
    if (!client) throw new Error('unreachable');
    await expectExact(client, event);
    expect(Object.keys(client.counts?.sectors ?? {})).toHaveLength(event.venue.sectors.length);
    expect(client.counts?.total).toBe((index + 1) * (knownCodes(event.venue).size + 1));
  }
  expect(EVENTS.map(({ venue }) => venue.sectors.length)).toEqual([13, 4, 32]);
  const { text } = await askAs(fleet.edge.url, 'e1', '/readyz');
  expect(JSON.parse(text)).toMatchObject({
    status: 'observing',
    events: { served: 3, followed: 3, live: 3 },
    // The event whose counts were verified the longest ago.
    follows: {
      eventId: expect.stringMatching(EVENTS.map(({ eventId }) => eventId).join('|')) as string,
      counter: expect.stringMatching(/^c[12]$/) as string,
      position: expect.any(String) as string,
      ageMs: expect.any(Number) as number,
      counters: ['c1', 'c2'],
    },
  });
});

test('a page in a browser displays the event of its address', async () => {
  const [, , event] = EVENTS;
  const browser = await openBrowser();
  const screen = await newPage(browser);
  await screen.goLive(`http://${event.host}:${new URL(fleet.edge.url).port}/`);
  expect(await screen.page.title()).toContain(event.title);
  await enterEverywhere(fleet.database, event);
  const { total } = await recount(fleet.database.admin, event.venue.sectors, event.eventId);
  await screen.expectTotal(new Intl.NumberFormat('pt-BR').format(total));
  expect((await screen.rows()).map(([name]) => name?.toLowerCase())).toEqual(
    expect.arrayContaining(event.venue.sectors.map(({ name }) => name.toLowerCase())),
  );
});

test('the edge follows its file: what is added is served, what is removed ends, and faults change nothing', async () => {
  const { edge, path, database } = fleet;
  const [first, second] = EVENTS;
  const staying = await openPageClient(edge.url, { host: first.host });
  const leaving = await openPageClient(edge.url, { host: second.host });
  await expectExact(staying, first);
  await enterEverywhere(database, LATER);

  writeFileSync(`${path}.new`, eventsFile([first, LATER]));
  renameSync(`${path}.new`, path);
  await until(() => expect(leaving.ended).toBe(true));
  expect((await askAs(edge.url, second.host, '/')).status).toBe(421);
  await expectExact(await openPageClient(edge.url, { host: LATER.host }), LATER);

  writeFileSync(path, '{ "castelao.exemplo.test": { "eventId": "a/b" } }');
  await until(async () => {
    const { text, status } = await askAs(edge.url, 'e1', '/readyz');
    expect(status).toBe(200);
    expect((JSON.parse(text) as { warning?: string }).warning).toContain('line 1: eventId of "castelao');
  });
  await enterEverywhere(database, first);
  await expectExact(staying, first);

  writeFileSync(path, eventsFile(EVENTS));
  await until(async () => expect((await askAs(edge.url, second.host, '/')).status).toBe(200));
  await expectExact(await openPageClient(edge.url, { host: second.host }), second);
  await expectExact(staying, first);
  expect(staying.ended).toBe(false);
});

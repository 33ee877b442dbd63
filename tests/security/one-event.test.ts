import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { InProcessFanOut } from '../../server/fan-out/in-process.ts';
import { buildApp } from '../../server/http/app.ts';
import { createVenueClock } from '../../server/venue-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { openPageClient, signIn } from '../../testing/page-client.ts';
import { KEY } from '../../testing/server.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { insertTickets, newEventId } from '../../testing/tickets.ts';
import { until } from '../../testing/until.ts';

const TICKET = 'the-holder-of-this-ticket';

let database: TestDatabase;
let server: TestServer;
let cookie: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [{ id: TICKET, setor: '4', entrou: true }]);
  server = await startTestServer(database);
  cookie = await signIn(server.url);
});

test.each(['live', 'tickets/count?isValidTicket=true'])(
  "another event's %s is 404 with a good session, a forged one and none",
  async (path) => {
    const others = [
      newEventId(),
      DEFAULT_EVENT_ID.toUpperCase(),
      'x',
      'a'.repeat(65),
      `${DEFAULT_EVENT_ID}%00`,
    ];
    for (const other of others) {
      for (const headers of [{ cookie }, { cookie: `${cookie}x` }, {}]) {
        const { status } = await fetch(`${server.url}/api/events/${other}/${path}`, { headers });
        expect([other, status]).toEqual([other, 404]);
      }
    }
  },
);

describe('no endpoint returns a ticket', () => {
  test('these are all the endpoints: whoever adds one sees to it', async () => {
    const webRoot = mkdtempSync(join(tmpdir(), 'triagem-routes-'));
    mkdirSync(join(webRoot, 'static'));
    writeFileSync(join(webRoot, 'static', 'a.js'), '');
    const readClock = createVenueClock('UTC');
    const fanOut = new InProcessFanOut({ rows: [], readClock });
    const app = await buildApp({
      eventId: DEFAULT_EVENT_ID,
      account: { email: 'a@b', key: KEY },
      sessionSecret: KEY,
      trustProxy: false,
      viewerLimits: { maxViewers: 1, maxViewersPerAddress: 1 },
      pages: { buildId: '', list: [{ route: '/', html: '', policy: '' }] },
      webRoot,
      fanOut,
      readClock,
      counts: () => undefined,
      notReadyReason: () => undefined,
      warning: () => undefined,
      log: pino({ level: 'silent' }),
    });
    await app.ready();
    const routes = app.printRoutes({ commonPrefix: false }).replaceAll(/[│├└─]/g, ' ');
    await app.close();
    fanOut.close();
    rmSync(webRoot, { recursive: true });
    expect(
      routes
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual([
      '/ (GET)',
      'static/a.js (GET, HEAD)',
      'config.json (GET)',
      'api/sign-in (POST)',
      'api/events/:eventId/live (GET)',
      'api/events/:eventId/tickets/count (GET)',
      'healthz (GET)',
      'readyz (GET)',
    ]);
  });

  test('what a screen is told of an admission names no ticket', async () => {
    const viewer = await openPageClient(server.url);
    await until(() => expect(viewer.counts?.total).toBe(1));
    await database.gates`insert into sectors (event_id, code) values (${DEFAULT_EVENT_ID}, '4')`;
    await database.gates`update tickets set entrou = false where id = ${TICKET}`;
    await until(() => expect(viewer.counts?.total).toBe(0));
    expect(JSON.stringify(viewer.messages)).not.toContain(TICKET);
  });

  test.each(['', '?isValidTicket=true', '/', `/${TICKET}`, '/count/x', '.json'])(
    'GET …/tickets%s gives none',
    async (path) => {
      const response = await fetch(`${server.url}/api/events/${DEFAULT_EVENT_ID}/tickets${path}`, {
        headers: { cookie },
      });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain(TICKET);
    },
  );

  test.each(['/', '/config.json', '/healthz', '/readyz'])('nor does %s', async (path) => {
    expect(await (await fetch(`${server.url}${path}`)).text()).not.toContain(TICKET);
  });
});

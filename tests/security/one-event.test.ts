import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { InProcessFanOut } from '../../board/fan-out/in-process.ts';
import { buildApp } from '../../board/http/app.ts';
import { onlyEvent } from '../../board/http/served-event.ts';
import { createVenueClock } from '../../board/venue/venue-clock.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient, signIn } from '../../testing/browser/page-client.ts';
import { KEY } from '../../testing/server/server.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const TICKET = 'the-holder-of-this-ticket';

const database = openForAll(() => createTestDatabase({ inside: { [TICKET]: '4' } }));
const server = openForAll(() => startTestServer(database));
const session = openForAll(async () => ({ cookie: await signIn(server.url) }));

test.each(['live', 'tickets/count?isValidTicket=true'])(
  "another event's %s is 404 with a good session, a forged one and none",
  async (path) => {
    const ours = DEFAULT_EVENT_ID;
    for (const other of [newEventId(), ours.toUpperCase(), 'x', 'a'.repeat(65), `${ours}%00`]) {
      for (const headers of [session, { cookie: `${session.cookie}x` }, {}]) {
        const { status } = await fetch(`${server.url}/api/events/${other}/${path}`, { headers });
        expect([other, status]).toEqual([other, 404]);
      }
    }
  },
);

describe('no endpoint returns a ticket', () => {
  test('these are all the endpoints: a new one must be added here', async () => {
    const readClock = createVenueClock('UTC');
    const fanOut = new InProcessFanOut({ rows: [], readClock });
    const app = await buildApp({
      events: onlyEvent({
        eventId: DEFAULT_EVENT_ID,
        account: { email: 'a@b', key: KEY },
        pages: { buildId: '', list: [{ route: '/', html: '', policy: '' }] },
        fanOut,
        readClock,
      }),
      sessionSecret: KEY,
      trustProxy: false,
      viewerLimits: { maxViewers: 1, maxViewersPerAddress: 1 },
      webRoot: makeTestFolder({ 'static/a.js': '' }),
      notReadyReason: () => undefined,
      warning: () => undefined,
      log: pino({ level: 'silent' }),
    });
    await app.ready();
    const routes = app.printRoutes({ commonPrefix: false }).replaceAll(/[│├└─]/g, ' ');
    await app.close();
    fanOut.close();
    expect(routes.trim().split(/\s*\n\s*/)).toEqual([
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

  test('what a screen receives of an admission names no ticket', async () => {
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
      const url = `${server.url}/api/events/${DEFAULT_EVENT_ID}/tickets${path}`;
      const response = await fetch(url, { headers: session });
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain(TICKET);
    },
  );

  test.each(['/', '/config.json', '/healthz', '/readyz'])('nor does %s', async (path) => {
    expect(await (await fetch(`${server.url}${path}`)).text()).not.toContain(TICKET);
  });
});

import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openDesk } from '../../testing/desk/desk-client.ts';
import { openFirestoreGates } from '../../testing/firestore/gates.ts';
import { startFirestoreStandIn } from '../../testing/firestore/stand-in.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';
import { until } from '../../testing/until.ts';

const standIn = openForAll(() => startFirestoreStandIn());
const account = { email: EMAIL, key: KEY };

test('two counters on Firestore are one for an edge and its desk, and either is enough', async () => {
  const gates = openFirestoreGates(standIn);
  const { eventId } = gates;
  await gates.add('4', 20, 5);
  const [nats, { recordUrl: RECORD_DATABASE_URL }] = await Promise.all([startNats(), createTestDatabase()]);
  const [first, second] = await Promise.all(
    ['c1', 'c2'].map((NODE_NAME) =>
      startCounter(nats, '', {
        env: { ...gates.sourceSettings, DATA_DIR: makeTestFolder(), RECORD_DATABASE_URL, NODE_NAME },
      }),
    ),
  );
  const edge = await startEdge(nats, { env: { EVENT_ID: eventId, NODE_NAME: 'e1', DESK_KEY } });
  await untilFollowing(edge, 'c1', 'c2');
  const board = await openPageClient(edge.url, { eventId, account });
  await until(() => expect([board.live, board.counts?.total]).toEqual([true, 5]));
  await gates.mark(true, '4-5', '4-6');
  await until(() => expect(board.counts?.total).toBe(7));

  const desk = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
  const path = `/fluxo/api/events/${encodeURIComponent(eventId)}`;
  const note = async (id: string, text: string): Promise<void> => {
    await until(async () => {
      const { status } = await desk.post(`${path}/commands`, { id, kind: 'occurrence', text });
      expect(status).toBe(200);
    });
  };
  await note(crypto.randomUUID(), 'antes');

  await first?.end('SIGKILL');
  // The other one has read each commit at another time: the counts are the same, and so it is as good.
  await untilFollowing(edge, 'c2');
  await gates.mark(true, '4-7');
  await until(() => expect([board.live, board.counts?.total]).toEqual([true, 8]));
  await note(crypto.randomUUID(), 'depois');
  expect(await (await desk.get(`${path}/log`)).text()).toMatch(/antes.*depois/s);
  const stale = board.messages.filter((message) => message.event === 'source' && !message.data.live);
  expect(stale).toEqual([]);

  // Nobody counts it: that is no stadium without tickets.
  const mistaken = await startEdge(nats, { env: { EVENT_ID: 'Fianl', NODE_NAME: 'e2' } });
  await until(async () =>
    expect(await readyz(mistaken)).toMatchObject({
      code: 503,
      waitingFor: expect.stringMatching(
        /^No counter has published this event yet: .* correct its ID \(Fianl\)/,
      ) as string,
    }),
  );

  await second?.end('SIGKILL');
  await until(async () => expect([(await readyz(edge)).code, board.live]).toEqual([503, false]));
});

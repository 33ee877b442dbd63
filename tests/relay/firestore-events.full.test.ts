import { test, expect } from 'vitest';
import { openFirestoreGates } from '../../testing/firestore/gates.ts';
import { startFirestoreStandIn } from '../../testing/firestore/stand-in.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';
import { until } from '../../testing/until.ts';

const standIn = openForAll(() => startFirestoreStandIn());
/** Also as a part of a subject of NATS. */
const LONGEST = '€'.repeat(500);
const account = { email: EMAIL, key: KEY };

test('counters of several events in one fleet answer for their own alone', async () => {
  const [first, second] = [
    openFirestoreGates(standIn, LONGEST, 'demo-copa'),
    openFirestoreGates(standIn, 'Final', 'demo-copa'),
  ];
  await Promise.all([first.add('4', 4, 1), second.add('4', 4, 2)]);
  const nats = await startNats();
  await Promise.all(
    [first, second].map(({ sourceSettings }, index) =>
      startCounter(nats, '', { env: { ...sourceSettings, NODE_NAME: `c${index}` } }),
    ),
  );
  const edgeOf = (EVENT_ID: string, NODE_NAME: string) => startEdge(nats, { env: { EVENT_ID, NODE_NAME } });
  const edge = await edgeOf('Final', 'e1');
  await untilFollowing(edge, 'c0', 'c1');
  const board = await openPageClient(edge.url, { eventId: 'Final', account });
  await until(() => expect([board.live, board.counts?.total]).toEqual([true, 2]));

  const other = await edgeOf(LONGEST, 'e3');
  const semifinal = await openPageClient(other.url, { eventId: LONGEST, account });
  await until(() => expect([semifinal.live, semifinal.counts?.total]).toEqual([true, 1]));
});

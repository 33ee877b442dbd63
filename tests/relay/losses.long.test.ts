import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { readyz, startCounter, startFleetBoard, untilFollowing } from '../../testing/fleet.ts';
import { openNatsClient } from '../../testing/nats-client.ts';
import type { NatsServer } from '../../testing/nats-server.ts';
import type { Screen } from '../../testing/screen.ts';
import { until } from '../../testing/until.ts';

const LIVE_WITHIN_MS = 3_000;
/** As NATS names its connection. */
const EDGE = 'triagem edge e1';
const LARGE = 'x'.repeat(512 * 1_024);

/** What a screen showed from then on: how often something new, and how long nothing that was live. */
function shownSince(
  { displayed }: Screen,
  atMs: number,
): { readonly changes: number; readonly staleMs: number } {
  const shown = displayed.filter((one) => one.atMs > atMs);
  const spells = shown.map(({ live, atMs: fromMs }, place) =>
    live ? 0 : (shown[place + 1]?.atMs ?? performance.now()) - fromMs,
  );
  return { changes: shown.length, staleMs: spells.reduce((sum, ms) => sum + ms, 0) };
}

test('one of two counters is killed, then one stands still: the screen stays live, under the same epoch', async () => {
  const board = await startFleetBoard();
  const { screen, counters, edge, nats, database } = board;
  board.startWriting();
  await until(() => expect(screen.total).toBeGreaterThan(20));
  const { epoch } = screen;
  const fromMs = performance.now();
  const stopwatch = board.startStopwatch();
  await counters['c1']?.end('SIGKILL');
  const total = screen.total ?? 0;
  await until(() => expect(screen.total).toBeGreaterThan(total + 50));
  counters['c1'] = await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c1' } });
  await untilFollowing(edge, 'c1', 'c2');

  counters['c2']?.child.kill('SIGSTOP');
  await untilFollowing(edge, 'c1');
  await pause(1_000);
  counters['c2']?.child.kill('SIGCONT');
  await untilFollowing(edge, 'c1', 'c2');
  const { changes, staleMs } = shownSince(screen, fromMs);
  expect(changes).toBeGreaterThan(50);
  // Who waits for a processor for a second is not heard for a second: no more than that.
  expect(staleMs).toBeLessThanOrEqual(performance.now() - fromMs - (await stopwatch.elapsedMs()));
  expect(screen.epoch).toBe(epoch);
  await board.expectExact();
});

test('with no counter left the screen is stale, says since when, and is live again once one is back', async () => {
  const board = await startFleetBoard({ counters: ['c1'] });
  const { screen, counters, edge, nats, database } = board;
  const { epoch } = screen;
  counters['c1']?.child.kill('SIGSTOP');
  const stopwatch = board.startStopwatch();
  await until(() => expect(screen.live).toBe(false));
  expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  expect(screen.board.connection.source).toMatchObject({ live: false, reason: 'connecting' });
  expect(await readyz(edge)).toMatchObject({
    code: 503,
    waitingFor: expect.stringMatching(/No counter answers/) as string,
  });
  // After 2 s without one, the edge looks behind another connection.
  const connections = (): number => edge.logged.filter(({ msg }) => msg === 'connected to NATS').length;
  const before = connections();
  await until(() => expect(connections()).toBeGreaterThan(before));

  await counters['c1']?.end('SIGKILL');
  counters['c1'] = await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c1' } });
  await until(() => expect(screen.live).toBe(true));
  expect(screen.epoch).toBe(epoch);
  await board.expectExact();
});

test.each(['kill', 'stop', 'pause'] as const)(
  'a NATS server of three is lost (%s): whoever was connected there is live again within 3 s by another, and nothing goes back',
  async (loss) => {
    const board = await startFleetBoard({ servers: 3 });
    const { screen, nats, edge } = board;
    board.startWriting();
    await until(() => expect(screen.total).toBeGreaterThan(20));
    for (const server of nats.servers) {
      await server[loss]();
      const stopwatch = board.startStopwatch();
      // Live by what was written since.
      const total = (screen.total ?? 0) + 150;
      await until(() => expect([screen.live, (screen.total ?? 0) > total]).toEqual([true, true]));
      expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
      await (loss === 'pause' ? server.resume() : server.start());
      await untilFollowing(edge, 'c1', 'c2');
    }
    await board.expectExact();
  },
);

/** Until NATS has given the edge up, to which more is said than it keeps for one that does not read. */
async function untilDropped(server: NatsServer): Promise<void> {
  const filler = await openNatsClient({ servers: server.url });
  await until(async () => {
    filler.publish(`triagem.main.state.c9.${DEFAULT_EVENT_ID}.documents`, LARGE);
    expect(await server.clientNames()).not.toContain(EDGE);
  });
  expect(server.log).toMatch(/Slow Consumer/);
}

/** By itself, with nothing before it: how its pages leave it meanwhile is measured in tests/faults/scale/edges.long.test.ts. */
test.each([
  { what: 'with all that was said to it before it', isDropped: false },
  { what: 'dropped by NATS for all that it has not read', isDropped: true },
])(
  'an edge that stood still, $what, goes on with whole states within 3 s of its going on',
  async ({ isDropped }) => {
    const board = await startFleetBoard();
    const { screen, edge, nats } = board;
    const [server] = nats.servers;
    board.startWriting();
    await until(() => expect(screen.total).toBeGreaterThan(20));
    edge.child.kill('SIGSTOP');
    await pause(2_000);
    expect(await server.clientNames()).toContain(EDGE);
    if (isDropped) await untilDropped(server);
    const total = screen.total ?? 0;
    edge.child.kill('SIGCONT');
    const stopwatch = board.startStopwatch();
    await until(() => expect([screen.live, (screen.total ?? 0) > total]).toEqual([true, true]));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
    await board.expectExact();
  },
);

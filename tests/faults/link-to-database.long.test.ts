import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { duration, FAULT_LIMITS, LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { type Network, startNetwork } from '../../testing/network.ts';
import { startTestBoard, type TestBoard } from '../../testing/test-board.ts';
import { unhinderedNow } from '../../testing/unhindered-time.ts';
import { until } from '../../testing/until.ts';

let link: Network;
let board: TestBoard;

beforeEach(async () => {
  link = await startNetwork(inject('clusterUrls').observer);
  board = await startTestBoard({
    observerUrl: ({ observerUrl }) => Object.assign(new URL(observerUrl), { port: link.port }).href,
    overrides: { limits: { ...FAULT_LIMITS, maxRetryDelayMs: 150 } },
  });
});

function expectStale(sinceMs: number): Promise<void> {
  const leftMs = STALE_WITHIN_MS - (unhinderedNow() - sinceMs);
  return until(() => expect(board.screen.live).toBe(false), leftMs);
}

test('the link is cut in the middle of messages while gates write: live again within 2 s under a new epoch, exact', async () => {
  const stopWriting = board.startWriting();
  for (let round = 0; round < 6; round += 1) {
    const { epoch } = board;
    const { cuts } = link;
    link.cutAfter(1 + Math.floor(Math.random() * 3_000));
    await until(() => expect(link.cuts).toBeGreaterThan(cuts));
    link.cutAfter(undefined);
    const stopwatch = board.startStopwatch();
    await board.liveUnderNewEpoch(epoch);
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  }
  await stopWriting();
  await board.expectExact();
});

test('invariant 5: the link is cut after every so many bytes of a beginning: nothing half begun is ever shown', async () => {
  const stopWriting = board.startWriting();
  const { epoch } = board;
  // What a session needs until it is live, on either connection.
  for (let bytes = 0; bytes < 2_600; bytes += 90) {
    const { cuts } = link;
    link.cutAfter(bytes);
    await until(() => expect(link.cuts).toBeGreaterThan(cuts));
  }
  link.cutAfter(undefined);
  await board.liveUnderNewEpoch(epoch);
  await stopWriting();
  await board.expectExact();
});

test('the link hangs up on every connection: it is tried a few times a second, not without end', async () => {
  const { opened } = link;
  const { epoch } = board;
  link.cutAfter(0);
  const cutAtMs = performance.now();
  await expectStale(unhinderedNow());
  await pause(1_500);
  const perSecond = ((link.opened - opened) * 1_000) / (performance.now() - cutAtMs);
  expect(perSecond).toBeGreaterThan(1);
  expect(perSecond).toBeLessThan(20);
  link.cutAfter(undefined);
  const stopwatch = board.startStopwatch();
  await board.liveUnderNewEpoch(epoch);
  expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  await board.expectExact();
});

describe('the link stalls without a close', () => {
  // A session opens its ordinary connection first, then the other.
  test.each([
    ['the ordinary connection', [-2], /does not answer/],
    ['the replication connection', [-1], /behind|went silent/],
    ['both', [-2, -1], /behind|does not answer|went silent/],
  ])(
    'on %s: stale within 15 s, live again by itself under a new epoch, exact',
    async (_what, stalled, named) => {
      const { epoch, server } = board;
      const stopWriting = board.startWriting();
      const stopwatch = board.startStopwatch();
      const stalledAtMs = unhinderedNow();
      for (const connection of stalled) link.hold(link.opened + connection);
      await expectStale(stalledAtMs);
      // New connections pass: giving up the silent ones is all it takes.
      const limitMs = FAULT_LIMITS.checkEveryMs + FAULT_LIMITS.silenceMs + LIVE_WITHIN_MS;
      await board.liveUnderNewEpoch(epoch);
      expect(await stopwatch.elapsedMs()).toBeLessThan(limitMs);
      expect(server.logged.map(({ reason }) => reason).join('\n')).toMatch(named);
      await stopWriting();
      await board.expectExact();
      link.restore();
    },
  );

  test.each(['CREATE_REPLICATION_SLOT', 'set transaction snapshot', 'START_REPLICATION'])(
    'as a session begins, with %s on its way: given up, and live again by itself, exact',
    async (command) => {
      const { database } = board;
      const stopWriting = board.startWriting();
      link.holdOn(command);
      await database.admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'walsender' and datname = ${database.name}`;
      await until(() => expect(link.hasHeldOn).toBe(true));
      await pause(300);
      await stopWriting();
      // What was committed since the stall is not on the screen until another session has begun.
      const { slotPatienceMs, silenceMs, snapshotMs } = FAULT_LIMITS;
      await board.expectExact(Math.max(slotPatienceMs + silenceMs, snapshotMs) + LIVE_WITHIN_MS);
      link.restore();
    },
  );

  test('on every connection, new ones too: stale within 15 s, live within 2 s after it passes again', async () => {
    const { epoch } = board;
    const stopWriting = board.startWriting();
    const stalledAtMs = unhinderedNow();
    link.hold();
    await expectStale(stalledAtMs);
    await pause(duration(30_000, 4_000));
    expect(board.screen.live).toBe(false);
    link.restore();
    const stopwatch = board.startStopwatch();
    await board.liveUnderNewEpoch(epoch);
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
    await stopWriting();
    await board.expectExact();
  });
});

test('the link is slow (50 kB/s) under a commit of many tickets: stale as long as it lags, then live and exact, in the same epoch', async () => {
  const { database, oracle, screen, epoch } = board;
  const tickets = duration(4_000, 1_500);
  link.throttle(50_000);
  const committedAtMs = unhinderedNow();
  await oracle.write(
    tickets,
    () => database.gates`
      update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id in
        (select 't' || n from generate_series(0, ${tickets - 1}) n)`,
  );
  await expectStale(committedAtMs);
  expect(board.server.logged.map(({ reason }) => reason).join('\n')).toMatch(/s behind the database/);
  await until(() => expect(screen.live).toBe(true), 60_000);
  await board.expectExact();
  expect(board.epoch).toBe(epoch);
});

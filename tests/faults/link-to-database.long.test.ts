import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, inject, test } from 'vitest';
import {
  duration,
  FAULT_LIMITS,
  IS_FULL,
  LIVE_WITHIN_MS,
  repetitions,
  STALE_WITHIN_MS,
} from '../../testing/durations.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { reasonsOf } from '../../testing/server/test-server.ts';
import { unhinderedNow, until } from '../../testing/until.ts';

/** From one cut of a beginning to the next. */
const STEP_BYTES = IS_FULL ? 90 : 200;
/** More than enter while all is broken in turn. */
const TICKETS = 40_000;
const WRITE_EVERY_MS = duration(5, 15);

const link = openForAll(() => startNetwork(inject('clusterUrls').observer));
const board = openForAll(() =>
  startTestBoard({
    tickets: TICKETS,
    observerUrl: ({ observerUrl }) => Object.assign(new URL(observerUrl), { port: link.port }).href,
    overrides: { limits: { ...FAULT_LIMITS, maxRetryDelayMs: 150 } },
  }),
);

afterEach(() => {
  link.cutAfter(undefined);
  link.throttle(undefined);
  link.restore();
});

function expectStale(sinceMs: number): Promise<void> {
  const leftMs = STALE_WITHIN_MS - (unhinderedNow() - sinceMs);
  return until(() => expect(board.screen.live).toBe(false), leftMs);
}

test('the link is cut in the middle of messages while gates write: live again within 2 s under a new epoch, exact', async () => {
  board.startWriting(WRITE_EVERY_MS);
  for (let round = 0; round < repetitions(6, 2); round += 1) {
    const { epoch } = board;
    const { cuts } = link;
    link.cutAfter(1 + Math.floor(Math.random() * 3_000));
    await until(() => expect(link.cuts).toBeGreaterThan(cuts));
    link.cutAfter(undefined);
    await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
  }
  await board.expectExact();
});

test('invariant 5: a start that is cut off after any number of bytes is never displayed in part', async () => {
  board.startWriting(WRITE_EVERY_MS);
  const { epoch } = board;
  // What a session needs until it is live, on either connection.
  for (let bytes = 0; bytes < 2_600; bytes += STEP_BYTES) {
    const { cuts } = link;
    link.cutAfter(bytes);
    await until(() => expect(link.cuts).toBeGreaterThan(cuts));
  }
  link.cutAfter(undefined);
  await board.expectNewEpoch(epoch);
  await board.expectExact();
});

test('the link hangs up on every connection: it is tried a few times a second, not without end', async () => {
  const { epoch } = board;
  link.cutAfter(0);
  await expectStale(unhinderedNow());
  const { opened } = link;
  const sinceMs = performance.now();
  await until(() => expect(link.opened).toBeGreaterThan(opened + 30));
  const perSecond = ((link.opened - opened) * 1_000) / (performance.now() - sinceMs);
  expect(perSecond).toBeLessThan(20);
  link.cutAfter(undefined);
  await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
  await board.expectExact();
});

describe('the link stalls without a close', () => {
  // A session opens its ordinary connection first, then the other.
  test.each([
    ['the ordinary connection', [-2], /does not answer over a connection that is open/],
    ['the replication connection', [-1], /behind the database, which answers|went silent/],
    ...(IS_FULL ? [['both', [-2, -1], /behind|does not answer|went silent/] as const] : []),
  ] as const)(
    'on %s: stale within 7 s, live again by itself under a new epoch, exact',
    async (_what, stalled, named) => {
      const { epoch, server } = board;
      const { length } = server.logged;
      board.startWriting(WRITE_EVERY_MS);
      const stopwatch = board.startStopwatch();
      const stalledAtMs = unhinderedNow();
      for (const connection of stalled) link.hold(link.opened + connection);
      await expectStale(stalledAtMs);
      // New connections pass: giving up the silent ones is all it takes.
      const limitMs = FAULT_LIMITS.checkEveryMs + FAULT_LIMITS.silenceMs + LIVE_WITHIN_MS;
      await board.expectNewEpoch(epoch);
      expect(await stopwatch.elapsedMs()).toBeLessThan(limitMs);
      expect(reasonsOf({ logged: server.logged.slice(length) })).toMatch(named);
      await board.expectExact();
    },
  );

  test.each([
    'CREATE_REPLICATION_SLOT',
    ...(IS_FULL ? (['set transaction snapshot', 'START_REPLICATION'] as const) : []),
  ])(
    'as a session begins, with %s on its way: given up, and live again by itself, exact',
    async (command) => {
      const { database } = board;
      board.startWriting(WRITE_EVERY_MS);
      link.holdOn(command);
      await database.terminate('walsender');
      await until(() => expect(link.hasHeldOn).toBe(true));
      await pause(300);
      await board.stopWriting();
      // What was committed since the stall is not on the screen until another session has begun.
      const { slotPatienceMs, silenceMs, snapshotMs } = FAULT_LIMITS;
      await board.expectExact(Math.max(slotPatienceMs + silenceMs, snapshotMs) + LIVE_WITHIN_MS);
    },
  );

  test('on every connection, new ones too: stale within 7 s, live within 2 s after it passes again', async () => {
    const { epoch } = board;
    board.startWriting(WRITE_EVERY_MS);
    const stalledAtMs = unhinderedNow();
    link.hold();
    await expectStale(stalledAtMs);
    // The session is given up, and the next one gets no answer either.
    const { opened } = link;
    await until(() => expect(link.opened).toBeGreaterThan(opened), 60_000);
    await pause(duration(30_000, 200));
    expect(board.screen.live).toBe(false);
    link.restore();
    await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
    await board.expectExact();
  });
});

test('the link is slow (50 kB/s) under a commit of many tickets: stale as long as it lags, then live and exact, in the same epoch', async () => {
  const { database, oracle, screen, epoch, server } = board;
  const { length } = server.logged;
  const tickets = duration(4_000, 1_500);
  link.throttle(50_000);
  const committedAtMs = unhinderedNow();
  const enter = () => database.gates`
    update tickets set entrou = true where id in (select 't' || n from generate_series(${TICKETS - tickets}::int, ${TICKETS - 1}::int) n)`;
  await oracle.write(tickets, enter);
  await expectStale(committedAtMs);
  expect(reasonsOf({ logged: server.logged.slice(length) })).toMatch(/s behind the database/);
  await until(() => expect(screen.live).toBe(true), 60_000);
  await board.expectExact();
  expect(board.epoch).toBe(epoch);
});

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LIVE_AGE_MS } from '../../../domain/freshness.ts';
import { OBSERVING_LIMITS } from '../../../board/sources/postgres/limits.ts';
import { duration } from '../../../testing/durations.ts';
import { type Network, startNetwork } from '../../../testing/server/network.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { unhinderedNow, until } from '../../../testing/until.ts';

/** Their attempts are at all stages when the network comes back. */
const SCREENS = 30;

const CUTS: readonly { how: string; cut: (network: Network) => void }[] = [
  { how: 'closes every connection', cut: (network) => network.cut() },
  {
    how: 'swallows every packet, and has forgotten every connection after',
    cut: (network) => network.swallow(),
  },
];

test.concurrent.each(CUTS)(
  'a network that $how: stale within 7 s, live again within 3 s of its return, exact',
  async ({ cut }) => {
    // The board's own screen stays live: only the viewers' network is cut.
    const board = await startTestBoard({ overrides: { limits: OBSERVING_LIMITS } });
    const network = await startNetwork(board.server.url);
    const screens = Array.from({ length: SCREENS }, () => openScreen(network.url));
    await until(() => expect(screens.every(({ live }) => live)).toBe(true));
    board.startWriting(50);

    const cutAtMs = unhinderedNow();
    cut(network);
    await until(() => expect(screens.some(({ live }) => live)).toBe(false), 20_000);
    expect(unhinderedNow() - cutAtMs).toBeLessThan(LIVE_AGE_MS);
    await pause(duration(60_000, 3_000));
    expect(screens.some(({ live }) => live)).toBe(false);

    const backAtMs = unhinderedNow();
    network.restore();
    await until(() => expect(screens.every(({ live }) => live)).toBe(true));
    expect(unhinderedNow() - backAtMs).toBeLessThan(3_000);
    expect(board.screen.live).toBe(true);

    await board.expectExact(15_000, [board.screen, ...screens]);
  },
);

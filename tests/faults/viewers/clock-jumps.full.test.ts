import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LIVE_AGE_MS } from '../../../domain/freshness.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { openScreen, type Screen } from '../../../testing/browser/screen.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { unhinderedNow, until } from '../../../testing/until.ts';
import { pageClock } from '../../../page/trust/page-clock.ts';

const HOUR_MS = 3_600_000;

function ageMs({ board: { status } }: Screen): number {
  return 'ageMs' in status ? status.ageMs : 0;
}

test.concurrent.each([
  { name: 'forward', jumpMs: HOUR_MS },
  { name: 'back', jumpMs: -HOUR_MS },
])(
  "the viewer's clock jumps $name by an hour, live and stale: ages and staleness stay right",
  async ({ jumpMs }) => {
    const board = await startTestBoard();
    const network = await startNetwork(board.server.url);
    let jumpedMs = 0;
    const clock = () => ({ ...pageClock(), wallMs: Date.now() + jumpedMs });
    const screen = openScreen(network.url, { clock });
    await until(() => expect(screen.live).toBe(true));
    board.startWriting(200);
    await pause(1_000);

    jumpedMs = jumpMs;
    // Forward may be a sleep, and look stale until the server has been heard anew.
    await pause(1_500);
    await until(() => expect(screen.live).toBe(true), 3_000);

    const lostAtMs = performance.now();
    const lostUnhinderedMs = unhinderedNow();
    network.swallow();
    await until(() => expect(screen.live).toBe(false), 20_000);
    expect(unhinderedNow() - lostUnhinderedMs).toBeLessThan(LIVE_AGE_MS);
    expect(ageMs(screen)).toBeLessThan(LIVE_AGE_MS);
    jumpedMs = 0;
    await pause(1_500);
    const ageIsAtLeastMs = performance.now() - lostAtMs - 2_000;
    expect(screen.live).toBe(false);
    expect(ageMs(screen)).toBeGreaterThan(ageIsAtLeastMs);
    expect(ageMs(screen)).toBeLessThan(ageIsAtLeastMs + 5_000 + (jumpMs > 0 ? 0 : HOUR_MS));

    network.restore();
    await until(() => expect(screen.live).toBe(true), 3_000);
    await board.expectExact(15_000, [board.screen, screen]);
  },
);

import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { openWatchedFleet } from './watched-fleet.ts';

const FAILOVERS = IS_FULL ? 5 : 1;

test(
  'two counters, three NATS servers, two edges and nginx: the primary is killed under 200 commits/s and its standby promoted: every screen and Chromium are live again within 3 s, exact, and the minutes are those that SQL recounts',
  { timeout: 180_000 + FAILOVERS * 90_000 },
  async () => {
    const watched = await openWatchedFleet({ screens: 30, processes: 2 });
    await watched.failOver(FAILOVERS);
    expect(await watched.expectExact()).toBeGreaterThan(FAILOVERS);
  },
);

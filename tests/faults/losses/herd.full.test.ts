import { openFleet } from './fleet.ts';
import { testLosses } from './test-losses.ts';

/**
 * With as many screens as a fleet is meant for. The machine is theirs alone: how long it takes is told by the clock on the
 * wall.
 */
testLosses('a fleet', () => openFleet({ screens: 492, processes: 4 }));

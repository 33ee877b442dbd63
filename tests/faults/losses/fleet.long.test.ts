import { openFleet } from './fleet.ts';
import { testLosses } from './test-losses.ts';

testLosses('a fleet', () => openFleet());

import { openHostsInMatch } from './hosts.ts';
import { testLosses } from './test-losses.ts';

testLosses('hosts that part', openHostsInMatch);

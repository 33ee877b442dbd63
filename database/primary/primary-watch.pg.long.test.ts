import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hostOf } from '../../domain/database-hosts.ts';
import { promote, startTestPair, urlOf } from '../../testing/database/standby.ts';
import { OWNER_PLACE } from '../schema/preconditions.ts';
import { findPrimaryUrl } from './primary-watch.ts';

test('a former primary is not taken for the new one, which answers a second later', async () => {
  const { primary, standby } = await startTestPair();
  await promote(standby);
  await standby.signalAll('SIGSTOP');
  const finding = findPrimaryUrl(urlOf('observerUrl', primary, standby), OWNER_PLACE);
  await pause(1_000);
  await standby.signalAll('SIGCONT');
  expect(hostOf(await finding)).toBe(standby.host);
});

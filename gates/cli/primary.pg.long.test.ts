import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hostOf } from '../../domain/database-hosts.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { promote, startTestPair, urlOf } from '../../testing/database/standby.ts';
import { findPrimaryUrl } from './primary.ts';

test.each([['a command', 0] as const, ...(IS_FULL ? ([['what tries again', 1]] as const) : [])])(
  '%s does not take a former primary for the new one, which answers a second later',
  async (_who, before) => {
    const { primary, standby } = await startTestPair({ isUnrelated: true });
    const url = urlOf('gatesUrl', primary, standby);
    const find = async (isTriedAgain: boolean): Promise<string> =>
      hostOf(await findPrimaryUrl(url, 'GATES_DATABASE_URL', isTriedAgain));
    const used = await Promise.all(Array.from({ length: before }, () => find(false)));
    expect(used).toEqual(used.map(() => primary.host));
    await promote(standby);
    await standby.signalAll('SIGSTOP');
    const finding = find(before > 0);
    await pause(1_000);
    await standby.signalAll('SIGCONT');
    expect(await finding).toBe(standby.host);
  },
);

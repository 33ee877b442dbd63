import { expect, test, vi } from 'vitest';
import { closeOnce } from '../../../testing/close-once.ts';
import type { ObservingLink } from './observing-link.ts';
import { StandbyLinks } from './standby-links.ts';

/** A stand-in for both connections to a host; it answers no more than `answers` times. */
function standInLink(answers: number): ObservingLink {
  let left = answers;
  const session = (isCounted: boolean) => ({
    sql: () => ({
      simple: () => {
        if (isCounted) left -= 1;
        return left >= 0 ? Promise.resolve([]) : new Promise(() => {});
      },
    }),
    end: async () => {},
  });
  return { session: session(true), replication: session(false) } as unknown as ObservingLink;
}

test('a link that has fallen silent is made anew sooner than one that is logging in', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  closeOnce(() => vi.useRealTimers());
  const made: ObservingLink[] = [];
  const links = new StandbyLinks(['standby', 'primary'], 1_000, () => {
    const link = standInLink(made.length === 0 ? 2 : 0);
    made.push(link);
    return link;
  });
  links.keep(['standby']);
  // It is asked at 1, 2 and 3 s, and is silent since.
  await vi.advanceTimersByTimeAsync(4_900);
  expect(made).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(made).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(4_800);
  expect(made).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(made).toHaveLength(3);
  expect(links.take('standby')).toBe(made[2]);
  await links.end();
});

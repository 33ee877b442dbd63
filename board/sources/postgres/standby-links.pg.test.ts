import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../testing/database/database.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { until, untilGiven } from '../../../testing/until.ts';
import { OBSERVING_LIMITS } from './limits.ts';
import { closeLink, type ObservingLink, openLink } from './observing-link.ts';
import { StandbyLinks } from './standby-links.ts';

test('where nobody listens yet, another link is made soon', async () => {
  const closed = 'postgres://nobody@127.0.0.1:1/nothing';
  let opened = 0;
  const links = new StandbyLinks([closed, 'other'], 20, (url) => {
    if (url === closed) opened += 1;
    return openLink(closed, { eventId: undefined, limits: OBSERVING_LIMITS });
  });
  closeOnce(() => links.end());
  await until(() => expect(opened).toBeGreaterThan(3));
});

test('a link is ready before it is taken, made anew where the server ends it, and closed where its host is kept no more', async () => {
  const { admin, observerUrl } = await createTestDatabase();
  const sessions = async (): Promise<{ name: string; pid: number }[]> => {
    const rows = await admin<{ name: string; pid: number }[]>`
      select application_name as name, pid from pg_stat_activity
      where datname = current_database() and usename = ${new URL(observerUrl).username} order by 1`;
    return [...rows];
  };
  const options = { eventId: undefined, limits: OBSERVING_LIMITS };
  const links = new StandbyLinks(['other', observerUrl], 20, (url) => openLink(url, options));
  closeOnce(() => links.end());
  expect(links.take(observerUrl)).toBeUndefined();
  links.keep([observerUrl]);
  const take = (): ObservingLink => {
    const link = links.take(observerUrl);
    if (!link) throw new Error('it is not ready');
    return link;
  };
  const ready = (before: readonly number[]): Promise<number[]> =>
    untilGiven(async () => {
      const both = await sessions();
      expect(both.map(({ name }) => name)).toEqual(['triagem', 'triagem counter']);
      expect(both.filter(({ pid }) => before.includes(pid))).toEqual([]);
      return both.map(({ pid }) => pid);
    });
  const first = await ready([]);
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where pid in ${admin(first)}`;
  await ready(first);
  const link = await untilGiven(take);
  const [{ systemid }] = await link.replication.sql.unsafe<[{ systemid: string }]>('IDENTIFY_SYSTEM');
  expect(systemid).toMatch(/^\d+$/);
  links.keep([]);
  await ready(first);
  await closeLink(link);
  await until(async () => expect(await sessions()).toEqual([]));
});

import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import type { TestCluster } from '../../testing/database/cluster.ts';
import { recount } from '../../testing/database/oracle.ts';
import { promote, startTestPair, untilCaughtUp } from '../../testing/database/standby.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { readiness, reasonsOf, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import {
  expectExact,
  openBoards,
  openSubscribedSite,
  publish,
  STALE_AT_EDGE_MS,
  STALE_WITHIN_MS,
} from './subscribed-site.ts';

const run = promisify(execFile);

const site = openForAll(openSubscribedSite);

test('a source that is put back to an earlier copy of itself is stale, in words, until the subscription is made anew', async () => {
  const { asking, counter, atAsking, atEdge } = await openBoards(site);
  await expectExact(site, atAsking, atEdge);
  const { folder } = site.source;
  await site.source.stop();
  await run('cp', ['-a', folder, `${folder}.copy`]);
  await site.startSource();
  for (let lost = 0; lost < 3; lost += 1) await site.enter();
  await site.vendor`select pg_logical_emit_message(true, 'test', repeat('x', 100000))`;
  // Live then, they have asked the source after that.
  await pause(STALE_AT_EDGE_MS);
  await expectExact(site, atAsking, atEdge);
  await site.source.stop();
  await run('rm', ['-rf', folder]);
  await run('mv', [`${folder}.copy`, folder]);
  await site.startSource();
  const words =
    /The subscription "ingressos_para_triagem" lacks commits: its source has gone back to an earlier state of itself/;
  const isStated = async (server: Pick<TestServer, 'url'>): Promise<void> =>
    expect(JSON.parse((await readiness(server)).text)).toMatchObject({
      waitingFor: expect.stringMatching(words),
    });
  for (const server of [asking, counter]) await until(() => isStated(server), 20_000);
  const { length } = atAsking.displayed;
  // Below what the subscription had reached, and beyond it.
  await site.enter();
  await site.vendor`select pg_logical_emit_message(true, 'test', repeat('x', 200000))`;
  await site.enter();
  const [{ lsn }] = await site.vendor<[{ lsn: string }]>`select pg_current_wal_lsn()::text as lsn`;
  await until(async () => {
    const slots = await site.vendor`
        select from pg_replication_slots where slot_name = 'ingressos_para_triagem' and confirmed_flush_lsn >= ${lsn}::pg_lsn`;
    expect(slots).toHaveLength(1);
  }, 30_000);
  await isStated(asking);
  expect(atAsking.displayed.slice(length).filter(({ live }) => live)).toEqual([]);
  await until(() => expect([atAsking.live, atEdge.live]).toEqual([false, false]));
  await site.unsubscribe();
  await site.subscribe();
  await expectExact(site, atAsking, atEdge);
});

test('a source whose standby takes over is stale, in words, while the subscription copies from the former primary', async () => {
  const { reader } = site;
  const pair = await startTestPair();
  closeOnce(site.unsubscribe);
  const { primary, standby } = pair;
  await publish(primary.database.admin, reader);
  await untilCaughtUp(pair);
  for (const { database } of [primary, standby]) await admitByPassword(database.admin);
  await site.unsubscribe();
  await site.subscribe(primary.host.split(':')[1]);
  const { name } = primary.database;
  const url = `postgres://${reader}:${reader}@${primary.host},${standby.host}/${name}`;
  const server = await site.start({ SOURCE_DATABASE_URL: url });
  const screen = openScreen(server.url);
  const enter = ({ database }: TestCluster, ticket: string): Promise<unknown> =>
    database.admin`update public.ingressos set status = 'lido' where codigo = ${ticket}`;
  await enter(primary, 'I0');
  await until(() => expect([screen.live, screen.total]).toEqual([true, 1]), 30_000);
  await promote(standby);
  await enter(standby, 'I1');
  await until(() => expect(screen.live).toBe(false), 20_000);
  await until(() =>
    expect(reasonsOf(server)).toMatch(
      /"ingressos_para_triagem" lacks commits: it copies from a former primary of its source: .* of SOURCE_DATABASE_URL is a former primary/,
    ),
  );
  const { length } = screen.displayed;
  await enter(primary, 'I2');
  await until(async () => expect((await recount(site.admin)).total).toBe(2));
  await pause(2 * STALE_WITHIN_MS);
  expect(screen.displayed.slice(length).filter(({ live }) => live)).toEqual([]);
  await site.unsubscribe();
  await site.subscribe(standby.host.split(':')[1]);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 2]), 30_000);
  expect(await site.admin`select from public.tickets where id = 'I2' and entrou`).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { recount } from '../../testing/database/oracle.ts';
import { FAULT_LIMITS } from '../../testing/durations.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { HI_EVENTS } from '../../testing/gates/ticketing-systems.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import { reasonsOf, startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { compare } from './compare.ts';

test('a board that lacks what the source does not send again is not live until it is mended: its database went back, or the slot was advanced', async () => {
  const theirSettings = { max_connections: '50' };
  const theirs = await startTestCluster({ settings: theirSettings });
  const settings = { wal_retrieve_retry_interval: '200ms' };
  const cluster = await startTestCluster({ isUnrelated: true, settings });
  const board = await openConnectedBoard(HI_EVENTS, { theirs: theirs.database, ours: cluster.database });
  const { ours, vendor, env } = board;
  const { SOURCE_DATABASE_URL = '' } = env;
  await board.connect();
  const open = async () => {
    const server = await startTestServer(ours, { SOURCE_DATABASE_URL }, { limits: FAULT_LIMITS });
    return { server, screen: openScreen(server.url) };
  };
  const untilShown = async (screen: Screen): Promise<number> => {
    await board.untilExact(60_000);
    const { total } = await recount(ours.admin);
    await until(() => expect([screen.live, screen.total]).toEqual([true, total]), 60_000);
    return total;
  };
  const [subscription] = await ours.admin`select subsynccommit from pg_subscription`;
  expect(subscription).toEqual({ subsynccommit: 'on' });

  const astray = await startTestServer(ours, { SOURCE_DATABASE_URL: ours.adminUrl });
  await until(() =>
    expect(reasonsOf(astray)).toMatch(
      /the server of SOURCE_DATABASE_URL has no slot "triagem_\w+": without it the copied tables cannot be compared with their source; name the server/,
    ),
  );
  await astray.stop();
  const first = await open();
  const copied = await untilShown(first.screen);
  await first.server.stop();
  await cluster.stop();
  const copy = `${cluster.folder}.copy`;
  execFileSync('cp', ['-a', cluster.folder, copy]);
  await cluster.start(settings);
  // By the tickets on the source's list nobody could tell: one who was in has left it.
  await vendor`update attendees set event_id = 2 where id = 1`;
  await until(async () => expect((await recount(ours.admin)).total).toBeLessThan(copied));
  await board.untilExact(60_000);
  await cluster.stop();
  rmSync(cluster.folder, { recursive: true });
  execFileSync('mv', [copy, cluster.folder]);
  await cluster.start(settings);

  const second = await open();
  await until(() =>
    expect(reasonsOf(second.server)).toMatch(
      /The subscription "triagem_\w+": what is here of public\.attendees is not what the source has, .* "npm run -s gates -- compare --repair" copies its tables anew/,
    ),
  );
  // Nothing of it is live while it is compared again.
  await pause(12 * FAULT_LIMITS.checkEveryMs);
  expect(second.screen.displayed.filter((state) => state.live)).toEqual([]);
  expect(await board.run(compare, [], 1)).toMatch(/The copied rows of public\.attendees are not those/);
  await board.run(compare, ['--repair']);
  expect(await untilShown(second.screen)).toBeLessThan(copied);
  const live = second.screen.displayed.filter((state) => state.live);
  expect(live.map(({ total }) => total)).not.toContain(copied);

  // Where they cannot be compared, the reason stands there, and what mends it.
  await second.server.stop();
  const { username: reader } = new URL(SOURCE_DATABASE_URL);
  await vendor`alter table attendees enable row level security`;
  const third = await open();
  await until(() =>
    expect(reasonsOf(third.server)).toMatch(
      /what is here of public\.attendees is not what the role .* row security applies to public\.attendees: .*BYPASSRLS/,
    ),
  );
  await expect(board.run(compare, ['--repair'])).rejects.toThrow(
    /Row security of the table public\.attendees/,
  );
  await vendor`alter table attendees disable row level security`;
  await theirs.database.admin.unsafe(`revoke all on attendees from ${reader}`);
  await until(() =>
    expect(reasonsOf(third.server)).toMatch(
      /cannot be compared with their source: permission denied for table attendees/,
    ),
  );
  expect(third.screen.live).toBe(false);
  await board.connect();
  await untilShown(third.screen);

  // A slot that is advanced by hand between two looks leaves commits out, and ends a worker.
  const [{ name }] = await ours.admin<[{ name: string }]>`select subname as name from pg_subscription`;
  await ours.admin.unsafe(`alter subscription "${name}" disable`);
  const { admin } = theirs.database;
  await until(async () =>
    expect(await admin`select from pg_replication_slots where slot_name = ${name} and active`).toHaveLength(
      0,
    ),
  );
  await vendor`update attendees set event_id = 2 where id = 2`;
  await admin`select pg_replication_slot_advance(${name}, pg_current_wal_lsn())`;
  await ours.admin.unsafe(`alter subscription "${name}" enable`);
  await until(() =>
    expect(reasonsOf(third.server)).toMatch(/what is here of public\.attendees is not what the source has/),
  );
  expect(third.screen.live).toBe(false);
  expect(await board.connect()).toMatch(
    /in place of a subscription whose rows of public\.attendees are not the source's: .*: done/,
  );
  await untilShown(third.screen);

  // The source goes back to the same rows, beside a board that starts then.
  await third.server.stop();
  await theirs.stop();
  const theirCopy = `${theirs.folder}.copy`;
  execFileSync('cp', ['-a', theirs.folder, theirCopy]);
  const startTheirs = async (): Promise<void> => {
    await theirs.start(theirSettings);
    await until(() => admitByPassword(admin));
  };
  await startTheirs();
  await until(async () => {
    await vendor`create table beside as select repeat('x', 100) from generate_series(1, 10000)`;
  });
  await vendor`update attendees set event_id = 2 where id = 3`;
  await board.untilExact(60_000);
  await vendor`update attendees set event_id = 1 where id = 3`;
  await board.untilExact(60_000);
  expect(await board.run(compare, [])).toMatch(/all the same here/);
  await theirs.stop();
  rmSync(theirs.folder, { recursive: true });
  execFileSync('mv', [theirCopy, theirs.folder]);
  await startTheirs();
  const fourth = await open();
  await until(() =>
    expect(reasonsOf(fourth.server)).toMatch(
      /lacks commits: its source has gone back to an earlier state of itself, .*compare --repair/,
    ),
  );
  await until(() => expect(fourth.screen.live).toBe(false));
  await expect(board.run(compare, [])).rejects.toThrow(/has gone back to an earlier state of itself/);
  await vendor`update attendees set event_id = 2 where id = 3`;
  await board.connect();
  await untilShown(fourth.screen);
});

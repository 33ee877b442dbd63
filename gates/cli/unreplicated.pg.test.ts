import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase, insertTickets } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { runProgram } from '../../testing/server/program.ts';
import { until } from '../../testing/until.ts';
import { INTERRUPTED, UnknownCommitError } from './errors.ts';
import { withSession } from './session.ts';
import { findTarget } from './target.ts';

test('commits wait until they are flushed where the role would not, and longer where it says so', async () => {
  const { admin, gatesUrl } = await createTestDatabase();
  const role = new URL(gatesUrl).username;
  const target = await findTarget({ GATES_DATABASE_URL: gatesUrl });
  for (const [set, used] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ]) {
    await admin.unsafe(
      `alter role ${role} in database ${admin.options.database} set synchronous_commit = ${set}`,
    );
    const [row] = await withSession(
      target,
      new AbortController().signal,
      ({ sql }) => sql`show synchronous_commit`,
    );
    expect(row).toEqual({ synchronous_commit: used });
  }
});

test('a commit whose wait for the synchronous standby is cancelled is not said to be done', async () => {
  const { admin, gates, gatesUrl } = (await startTestCluster()).database;
  await insertTickets(gates, { outside: { a: '4' } });
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  const cancelWait = (): Promise<void> =>
    until(async () => {
      const cancelled = await admin`
        select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event = 'SyncRep' and datname = current_database()`;
      expect(cancelled).toHaveLength(1);
    });
  const target = await findTarget({ GATES_DATABASE_URL: gatesUrl });

  const transaction = await Promise.allSettled([
    withSession(target, new AbortController().signal, (session) =>
      session.transaction('Nothing was changed.', (sql) => sql`update public.tickets set entrou = true`),
    ),
    cancelWait(),
  ]);
  expect(transaction).toMatchObject([
    { reason: expect.any(UnknownCommitError) as Error },
    { status: 'fulfilled' },
  ]);
  expect(String((transaction[0] as PromiseRejectedResult).reason)).toMatch(
    /did not wait for its synchronous standby .* Whether the commit was made is not known/,
  );

  for (const way of ['transaction', 'commits'] as const) {
    const stop = new AbortController();
    const ended = withSession(target, stop.signal, async (session) => {
      const enter = async (sql: typeof session.sql): Promise<unknown> =>
        await sql`update public.tickets set entrou = not entrou`;
      await (way === 'commits' ? session.commits(enter) : session.transaction('Undone.', enter));
    }).catch((error: unknown) => error);
    await until(async () => {
      const waiting = await admin`select from pg_stat_activity where wait_event = 'SyncRep'`;
      expect(waiting).toHaveLength(1);
    });
    stop.abort();
    const error = await ended;
    expect([way, error instanceof UnknownCommitError, error]).toEqual([
      way,
      true,
      expect.objectContaining({
        message: expect.stringMatching(/^Stopped\. Whether the commit was made is not known/),
        exitCode: INTERRUPTED,
      }),
    ]);
  }
});

test('an import whose wait for the synchronous standby is cancelled ends, although its session waits again', async () => {
  const { admin, gatesUrl } = (await startTestCluster()).database;
  const path = join(makeTestFolder(), 'tickets.csv');
  writeFileSync(path, 'id,isValidTicket,entrou,setor\na,true,false,4\n');
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  const args = ['import', path, '--event', 'e'.repeat(32)];
  const program = runProgram('gates', args, { GATES_DATABASE_URL: gatesUrl });
  await until(async () => {
    const cancelled = await admin`
      select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
    expect(cancelled).toHaveLength(1);
  });
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(/Whether the commit was made is not known/);
  // Its temporary tables are dropped in a commit.
  expect(await admin`select from pg_stat_activity where wait_event = 'SyncRep'`).toHaveLength(1);
});

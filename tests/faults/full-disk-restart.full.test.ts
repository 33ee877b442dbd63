import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EMBEDDED_NAMES } from '../../database/embedded/cluster-files.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { connectTestDatabase } from '../../testing/database/database.ts';
import { readLogRows } from '../../testing/desk/log-rows.ts';
import { expectScreenExact, openGates } from '../../testing/server/installation.ts';
import { signalAll } from '../../testing/server/signal.ts';
import { readiness, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { enter, openSmallDisk } from './small-disk.ts';

test('a disk that is full when its server must start again: the log and /readyz name disk and fix, whoever is called is called; with space it is live again, and has the alarm in its log', async () => {
  const { disk, fill, flowClock, place, receiver, server } = await openSmallDisk();
  const sql = await openGates(place);
  await enter(sql, 'again', 300);
  await expectScreenExact(place, sql);
  const inMinutes = (minutes: number): string =>
    `${new Date(flowClock(Date.now()) + minutes * MINUTE_MS).toISOString().slice(0, 16)}+00:00`;
  const times = ['--gates-open', inMinutes(-30), '--kick-off', inMinutes(1_200)];
  await place.gates('event', 'create', '--id', DEFAULT_EVENT_ID, '--title', 'Palestra × Atlético', ...times);
  const { admin } = connectTestDatabase(EMBEDDED_NAMES.database, await place.databaseUrls());
  // An alarm is judged by the times of the log, and the log cannot be written once the disk is full.
  await until(
    async () => expect((await readLogRows(admin)).map(({ kind }) => kind)).toContain('times'),
    60_000,
  );
  const since = server.stdout().length;
  const words =
    /The disk of the data folder \S+ is full: free some space, and the embedded PostgreSQL starts by itself/;
  const fillers = [fill()];
  await until(async () => {
    killServer(disk.seenFromOutside);
    // What its end has let go of, before it can take it again.
    fillers.push(fill());
    expect((await readiness(place)).text).toMatch(words);
  }, 60_000);
  const alarms = (): string[] =>
    receiver.received.map(({ body }) => body).filter((body) => body.includes('"rule":"no-data"'));
  await until(() => expect(alarms()).not.toEqual([]), 120_000);
  for (const free of fillers) free();
  await untilReady(place, 60_000);
  await expectScreenExact(place, await openGates(place));

  const { alarm } = (JSON.parse(alarms()[0] ?? '') as { data: { alarm: string } }).data;
  const { admin: again } = connectTestDatabase(EMBEDDED_NAMES.database, await place.databaseUrls());
  await until(async () => expect((await readLogRows(again)).map(({ id }) => id)).toContain(alarm));
  const sent = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(sent).size).toBe(sent.length);
  const logged = server.stdout().slice(since);
  const lines = logged.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(new Set(told.filter(({ msg }) => words.test(msg)).map(({ level }) => level))).toEqual(new Set([50]));
  expect(told.find(({ msg }) => /PostgreSQL is gone/.test(msg))?.level).toBe(40);
  const wrong = /ENOSPC|ECONNREFUSED|DATABASE_URL: start|address of DATABASE_URL/;
  expect([...lines, server.stderr()].filter((line) => wrong.test(line))).toEqual([]);
});

/** Kills the PostgreSQL that runs in the folder, if one does. */
function killServer(folder: string): void {
  const file = join(folder, 'cluster', 'postmaster.pid');
  if (existsSync(file)) signalAll([Number.parseInt(readFileSync(file, 'utf8'), 10)], 'SIGKILL');
}

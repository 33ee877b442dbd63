import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { childProcesses } from '../../server/database/embedded/process-identity.ts';
import { fillDisk } from '../../testing/disk.ts';
import {
  expectRefused,
  expectScreenExact,
  install,
  makeDisk,
  makeFolder,
  openGates,
} from '../../testing/installation.ts';
import { processesNaming } from '../../testing/program.ts';
import { signalAll } from '../../testing/signal.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

async function admit(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, n % 3 = 0, '4' from generate_series(1, 300) n`;
}

test('a disk that is read-only or too small, before the first start and after it: told, nothing half made is left, and the next start works', async () => {
  const disk = await makeDisk({ isUsed: false, megabytes: 400 });
  const place = await install(disk.folder, disk);
  const expectReadOnlyTold = async (): Promise<void> => {
    await disk.setReadOnly(true);
    await expectRefused(place.run(), /data folder .* is on a read-only file system\. Mount it writable/);
    await disk.setReadOnly(false);
  };
  await expectReadOnlyTold();
  const filler = fillDisk(disk, 390);
  await expectRefused(place.run(), /disk of the data folder .* is full\. Free some space and start again/);
  expect(readdirSync(disk.seenFromOutside).filter((name) => name.startsWith('cluster'))).toEqual([]);
  rmSync(filler);
  const first = await place.start();
  await admit(await openGates(place));
  expect(await first.end()).toBe(0);
  await expectReadOnlyTold();
  await place.start();
  await expectScreenExact(place, await openGates(place));
});

test('an initdb killed half-way, with its Node: the next start cleans up, and works', async () => {
  const place = await install(makeFolder({ isUsed: false }));
  const program = place.run();
  const halfMade = (): string | undefined =>
    readdirSync(place.folder).find((name) => existsSync(join(place.folder, name, 'pg_wal')));
  await until(() => expect(halfMade()).toMatch(/^cluster\.new-/), 60_000);
  signalAll(processesNaming(place.folder).map(processAt), 'SIGKILL');
  expect(await program.ended).toBe('SIGKILL');
  await place.start();
  expect(readdirSync(place.folder).filter((name) => name.startsWith('cluster'))).toEqual(['cluster']);
  const sql = await openGates(place);
  await admit(sql);
  await expectScreenExact(place, sql);
});

test('its server is killed while one of its processes hangs: it is started again, untouched; stopped while every process of it stands still, the next start works', async () => {
  const place = await install(makeFolder({ isUsed: true }));
  const first = await place.start();
  await admit(await openGates(place));
  const [postmaster = 0, ...children] = postgresOf(place.folder);
  const hanging = children.find((pid) => /walsender/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) ?? 0;
  process.kill(hanging, 'SIGSTOP');
  process.kill(postmaster, 'SIGKILL');
  await until(async () => expect((await readiness(place)).status).toBe(503));
  await untilReady(place, 60_000);
  await expectScreenExact(place, await openGates(place));

  signalAll(postgresOf(place.folder), 'SIGSTOP');
  const stopwatch = startStopwatch({ pids: () => [first.child.pid] });
  await first.end();
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  await place.start();
  await expectScreenExact(place, await openGates(place));
});

/** The processes of the PostgreSQL in a data folder, the first one first. */
function postgresOf(folder: string): number[] {
  const postmaster = processAt(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8'));
  return [postmaster, ...childProcesses(postmaster)];
}

/** The process at the beginning of a line. */
function processAt(line: string): number {
  return Number.parseInt(line, 10);
}

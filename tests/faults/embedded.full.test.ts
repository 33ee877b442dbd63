import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { childProcesses } from '../../database/embedded/process-identity.ts';
import { fillDisk } from '../../testing/database/disk.ts';
import {
  expectRefused,
  expectScreenExact,
  install,
  makeDisk,
  openGates,
} from '../../testing/server/installation.ts';
import { processesNaming } from '../../testing/server/program.ts';
import { signalAll } from '../../testing/server/signal.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

async function admit(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, n % 3 = 0, '4' from generate_series(1, 300) n`;
}

test(
  'a disk that is read-only or too small, and an initdb killed half-way: told, nothing half made is left, and the next start works; a server killed while one of its processes hangs is started again, untouched; stopped while all of them stand still, it starts again',
  { timeout: 400_000 },
  async () => {
    const disk = await makeDisk({ isUsed: false, megabytes: 400 });
    const folder = disk.seenFromOutside;
    const place = await install(disk.folder, disk);
    const clusters = (): string[] => readdirSync(folder).filter((name) => name.startsWith('cluster'));
    const expectReadOnlyTold = async (): Promise<void> => {
      await disk.setReadOnly(true);
      await expectRefused(place.run(), /data folder .* is on a read-only file system\. Mount it writable/);
      await disk.setReadOnly(false);
    };
    await expectReadOnlyTold();
    const filler = fillDisk(disk, 390);
    await expectRefused(place.run(), /disk of the data folder .* is full\. Free some space and start again/);
    expect(clusters()).toEqual([]);
    rmSync(filler);

    const interrupted = place.run();
    const halfMade = (): string | undefined =>
      readdirSync(folder).find((name) => existsSync(join(folder, name, 'pg_wal')));
    await until(() => expect(halfMade()).toMatch(/^cluster\.new-/), 60_000);
    signalAll(processesNaming(place.folder).map(processAt), 'SIGKILL');
    expect(await interrupted.ended).toBe('SIGKILL');
    const first = await place.start();
    expect(clusters()).toEqual(['cluster']);
    await admit(await openGates(place));
    expect(await first.end()).toBe(0);
    await expectReadOnlyTold();

    const second = await place.start();
    await expectScreenExact(place, await openGates(place));
    const [postmaster = 0, ...children] = postgresOf(folder);
    const hanging =
      children.find((pid) => /walsender/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) ?? 0;
    process.kill(hanging, 'SIGSTOP');
    process.kill(postmaster, 'SIGKILL');
    await until(async () => expect((await readiness(place)).status).toBe(503));
    await untilReady(place, 60_000);
    await expectScreenExact(place, await openGates(place));

    signalAll(postgresOf(folder), 'SIGSTOP');
    const stopwatch = startStopwatch({ pids: () => [second.child.pid] });
    await second.end();
    expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
    await place.start();
    await expectScreenExact(place, await openGates(place));
  },
);

/** The processes of the PostgreSQL in a data folder, the first one first. */
function postgresOf(folder: string): number[] {
  const postmaster = processAt(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8'));
  return [postmaster, ...childProcesses(postmaster)];
}

/** The process at the beginning of a line. */
function processAt(line: string): number {
  return Number.parseInt(line, 10);
}

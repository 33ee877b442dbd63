import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database/database.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { type Program, runProgram } from '../testing/server/program.ts';
import { until } from '../testing/until.ts';

test('backup and restore of a large database need no more memory than of a small one', async () => {
  const [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const folder = makeTestFolder();
  for (const { admin } of [source, target]) await admin`alter table tickets add note text`;
  const fill = (rows: number): Promise<unknown> =>
    source.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, true, '4', repeat('0123456789', 250)
      from generate_series(1, ${rows}) n on conflict do nothing`;
  const run = async (command: string, path: string, { gatesUrl }: TestDatabase): Promise<number> => {
    const program = runProgram('gates', [command, path], { GATES_DATABASE_URL: gatesUrl });
    const peakMb = await peakMemoryMb(program);
    expect(await program.ended, program.stderr()).toBe(0);
    return peakMb;
  };
  const runBoth = async (name: string): Promise<number[]> => {
    const path = join(folder, name);
    return [await run('backup', path, source), await run('restore', path, target)];
  };
  await fill(1);
  const small = await runBoth('small.sql.gz');
  await target.gates`delete from tickets`;
  await fill(64_000);
  const large = await runBoth('large.sql.gz');
  // The rows are 160 MB: a process that held them would need that much more, and as much again for their text.
  for (const [index, largeMb] of large.entries()) expect(largeMb - (small[index] ?? 0)).toBeLessThan(110);
  expect(await target.gates`select count(*)::int as rows from tickets`).toEqual([{ rows: 64_000 }]);
});

/** The most that it has had in memory, shortly before its end. */
async function peakMemoryMb(program: Program): Promise<number> {
  let peakMb = 0;
  let hasEnded = false;
  void program.ended.then(() => (hasEnded = true));
  await until(() => {
    try {
      const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
      peakMb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? peakMb * 1_024) / 1_024;
    } catch {
      // It has ended.
    }
    expect(hasEnded).toBe(true);
  }, 50_000);
  return peakMb;
}

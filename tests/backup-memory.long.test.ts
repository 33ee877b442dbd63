import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase } from '../testing/database.ts';
import { type Program, runProgram } from '../testing/program.ts';
import { until } from '../testing/until.ts';

test('backup and restore of a large database need no more memory than of a small one', async () => {
  const [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const folder = mkdtempSync(join(tmpdir(), 'triagem-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { admin } of [source, target]) await admin`alter table tickets add note text`;
  const fill = (rows: number): Promise<unknown> =>
    source.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, true, '4', repeat('0123456789', 250)
      from generate_series(1, ${rows}) n on conflict do nothing`;
  const runBoth = async (name: string): Promise<number[]> => {
    const path = join(folder, name);
    const writing = runProgram('gates', ['backup', path], { GATES_DATABASE_URL: source.gatesUrl });
    const backupMb = await peakMemoryMb(writing);
    expect(await writing.ended, writing.stderr()).toBe(0);
    const reading = runProgram('gates', ['restore', path], { GATES_DATABASE_URL: target.gatesUrl });
    const restoreMb = await peakMemoryMb(reading);
    expect(await reading.ended, reading.stderr()).toBe(0);
    return [backupMb, restoreMb];
  };
  await fill(1);
  const small = await runBoth('small.sql.gz');
  await target.gates`delete from tickets`;
  await fill(64_000);
  const large = await runBoth('large.sql.gz');
  // The rows are 160 MB: whoever held them would need that much more, and as much again for their text.
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

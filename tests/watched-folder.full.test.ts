import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useGatesTool } from '../testing/gates/gates-tool.ts';
import { until } from '../testing/until.ts';
import { useWatchedFolder } from '../testing/gates/watched-folder.ts';

const tool = useGatesTool();
const { path, startWatching, stop, drop, blockReport, read, list, isFiled } = useWatchedFolder(tool);

test('an empty file is taken only after long', async () => {
  const program = await startWatching();
  writeFileSync(path('empty.csv'), '');
  await isFiled('failed/empty.csv', program);
  expect(read('failed/empty.csv.report.txt')).toMatch('the file is empty');
  await stop(program);
});

test('while files cannot be moved it says so once, and goes on when they can', async () => {
  const program = await startWatching();
  const report = blockReport('a.csv');
  drop('a.csv', 'a,1,0,4');
  await until(() => expect(program.stdout()).toMatch('waiting to move it'), 30_000);
  await pause(6_000);
  rmSync(report, { recursive: true });
  await isFiled('done/a.csv', program);
  expect(program.stdout().match(/waiting to move it/g)).toHaveLength(1);
  await stop(program);
});

test('while the database is away the file stays, and it goes on when it is back', async () => {
  const program = await startWatching();
  await tool.database.allowConnections(false);
  try {
    drop('a.csv', 'a,1,0,4');
    await until(() => expect(program.stdout()).toMatch('Waiting: The database'), 30_000);
    await pause(6_000);
    expect(list()).toEqual(['a.csv']);
  } finally {
    await tool.database.allowConnections(true);
  }
  await isFiled('done/a.csv', program);
  expect(program.stdout().match(/Waiting:/g)).toHaveLength(1);
  expect(program.stdout()).toMatch('Going on.');
  await stop(program);
});

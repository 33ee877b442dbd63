import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { until } from '../../testing/until.ts';
import { useWatchedFolder } from '../../testing/gates/watched-folder.ts';

const tool = useGatesTool();
const { tickets } = tool;
const { startWatching, startBeside, stop, drop, list, isFiled } = useWatchedFolder(tool);

test('it never goes over to the database of a demo in the same folder', async () => {
  const dataDir = makeTestFolder();
  const demo = await createTestDatabase();
  const announce = (folder: string, url: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'gates.json'), JSON.stringify({ url, pid: process.pid }));
  };
  announce(dataDir, tool.database.gatesUrl);
  const program = await startBeside(dataDir);
  rmSync(join(dataDir, 'gates.json'));
  announce(join(dataDir, 'demo'), demo.gatesUrl);
  await tool.database.allowConnections(false);
  try {
    drop('a.csv', 'a,1,0,4');
    await until(
      () => expect(program.stdout()).toMatch('Waiting: No running embedded database was found'),
      30_000,
    );
  } finally {
    await tool.database.allowConnections(true);
  }
  announce(dataDir, tool.database.gatesUrl);
  await isFiled('done/a.csv', program);
  expect(await tickets()).toEqual(['event|a|t|f|4']);
  await stop(program);
  await demo.drop();
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s rolls the running import back, and the file stays',
  async (signal) => {
    const program = await startWatching();
    const { gates } = tool.database;
    const other = await gates.reserve();
    await other`begin`;
    await other`lock table tickets in share row exclusive mode`;
    drop('a.csv', 'a,1,0,4');
    await until(async () => {
      const [waiting] = await gates`
      select from pg_stat_activity where datname = current_database() and application_name = 'triagem gates'
        and wait_event_type = 'Lock'`;
      expect(waiting).toBeDefined();
    }, 30_000);
    await stop(program, signal);
    await other`rollback`;
    other.release();
    expect(await tickets()).toEqual([]);
    expect(list()).toEqual(['a.csv']);
  },
  60_000,
);

import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { readDatabaseId, tryReadRunId } from './database-id.ts';

test('a database has one id for good, and another one for each run of its server', async () => {
  const cluster = await startTestCluster();
  const { admin } = cluster.database;
  const read = async () => [await readDatabaseId(admin), await tryReadRunId(admin)] as const;
  const [forGood, ofRun] = await read();
  expect(await read()).toEqual([forGood, ofRun]);
  await cluster.stop();
  await cluster.start();
  const [again, ofNext] = await read();
  expect(again).toBe(forGood);
  expect(ofNext).not.toBe(ofRun);
});

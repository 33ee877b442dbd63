import { expect, test } from 'vitest';
import { startTestCluster } from '../../../testing/database/cluster.ts';
import { insertTickets, setEntered } from '../../../testing/database/database.ts';
import { until } from '../../../testing/until.ts';
import { describeBlockers } from './preflight.ts';

test('a commit that may wait for a synchronous standby is named so', async () => {
  const { admin, gates } = (await startTestCluster()).database;
  await insertTickets(gates, { outside: { a: '4' } });
  expect(await describeBlockers(admin)).toBeUndefined();
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  // Each process takes the setting over at a moment of its own.
  const found = new AbortController();
  const entering = (async () => {
    while (!found.signal.aborted) await setEntered(gates, 'a', true);
  })();
  await until(async () =>
    expect(await describeBlockers(admin)).toMatch(
      /^process \d+ of role \w+; if its commit waits for a synchronous standby \(synchronous_standby_names is "absent"\)/,
    ),
  );
  found.abort();
  await admin`alter system reset synchronous_standby_names`;
  await admin`select pg_reload_conf()`;
  await entering;
});

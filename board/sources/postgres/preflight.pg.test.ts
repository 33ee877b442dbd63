import { expect, test } from 'vitest';
import { startTestCluster } from '../../../testing/database/cluster.ts';
import { insertTickets, setEntered } from '../../../testing/database/database.ts';
import { until } from '../../../testing/until.ts';
import { describeBlocker } from './preflight.ts';

test('the oldest transaction is named, and that its commit may wait for a synchronous standby', async () => {
  const { admin, gates } = (await startTestCluster()).database;
  await insertTickets(gates, { outside: { a: '4', b: '4' } });
  expect(await describeBlocker(admin)).toBeUndefined();
  await gates.begin(async (oldest) => {
    await oldest`update tickets set entrou = true where id = 'a'`;
    const [{ pid }] = await oldest<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await gates.begin(async (newer) => {
      await newer`update tickets set entrou = true where id = 'b'`;
      expect(await describeBlocker(admin)).toBe(`process ${pid} of role triagem_gates`);
    });
  });
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  // Each process takes the setting over at a moment of its own.
  const found = new AbortController();
  const entering = (async () => {
    while (!found.signal.aborted) await setEntered(gates, 'a', true);
  })();
  await until(async () =>
    expect(await describeBlocker(admin)).toMatch(
      /^process \d+ of role \w+; if its commit waits for a synchronous standby \(synchronous_standby_names is "absent"\)/,
    ),
  );
  found.abort();
  await admin`alter system reset synchronous_standby_names`;
  await admin`select pg_reload_conf()`;
  await entering;
});

import { expect, test } from 'vitest';
import { openPageClient } from '../testing/browser/page-client.ts';
import { DESK_EVENT_PATH, openDesk } from '../testing/desk/desk-client.ts';
import { placeOf, printedAfter, processOf } from '../testing/fleet/demo-output.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { freePort } from '../testing/server/free-port.ts';
import { processesNaming, runProgram } from '../testing/server/program.ts';
import { until } from '../testing/until.ts';

// All that it runs is killed, with pages in Chromium, in demo-fleet.full.test.ts.
test('npm run demo:fleet says what runs where, with a desk at every edge; what is killed runs again; Ctrl-C leaves nothing running', async () => {
  const folder = makeTestFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port) };
  const demo = runProgram('demo:fleet', ['--speed', '30'], env);
  await until(() => {
    expect(demo.child.exitCode, demo.stdout() + demo.stderr()).toBeNull();
    expect(demo.stdout()).toContain('Ctrl-C stops everything');
  }, 120_000);
  const viewer = await openPageClient(url, { host: new URL(url).host });
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, expect.any(Number)]));

  const killed = processOf(demo, 'counter-1');
  process.kill(killed, 'SIGKILL');
  await until(() => expect(processOf(demo, 'counter-1')).not.toBe(killed));
  await until(async () => expect((await fetch(placeOf(demo, 'counter-1'))).status).toBe(200));
  expect(demo.stderr()).toContain('counters count it for their edges');
  const { total = 0 } = viewer.counts ?? {};
  await until(() => {
    expect(viewer.live).toBe(true);
    expect(viewer.counts?.total).toBeGreaterThan(total);
  });

  // The desk's key is that of every edge.
  const key = printedAfter(demo, 'Desk key:');
  for (const each of [url, ...['edge-1', 'edge-2'].map((name) => new URL(placeOf(demo, name)).origin)]) {
    const asked = await openDesk(each, { name: 'Ana', key });
    expect((await asked.get(`${DESK_EVENT_PATH}/log`)).status).toBe(200);
  }
  viewer.leave();
  expect(await demo.end('SIGINT')).toBe(0);
  expect(processesNaming(folder)).toEqual([]);
});

import { expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { readMetrics } from '../../testing/server/metrics.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { KEY } from '../../testing/server/server.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
let server: TestServer;

test('there are none unless METRICS_PORT is set, and then on this machine only', async () => {
  expect(readConfig({}).metrics).toBeUndefined();
  expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9_464 });
  expect(readConfig({ METRICS_PORT: '1', METRICS_HOST: '::' }).metrics?.host).toBe('::');
  server = await startTestServer(database);
  expect(server.metricsUrl).toBeUndefined();
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
});

test('they tell viewers, frames, version, liveness, age, restarts, delay and memory, in words Prometheus reads', async () => {
  const limits = { ...OBSERVING_LIMITS, checkEveryMs: 200, staleAfterMs: 1_000 };
  server = await startTestServer(database, { METRICS_PORT: '0' }, { limits });
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  const response = await fetch(server.metricsUrl ?? '');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) (triagem|process|nodejs)_\w+ .+|(triagem|process|nodejs)_\w+(\{\w+="[\w.+]+"(,\w+="[\w.+]+")*\})? (Nan|\d+(\.\d+)?(e[+-]?\d+)?)|)$/,
    );
  }
  const viewer = await openPageClient(server.url);
  await until(() => expect(viewer.live).toBe(true));
  const before = await readMetrics(server.metricsUrl ?? '');
  expect(before).toMatchObject({ triagem_viewers: 1, triagem_live: 1, triagem_data_age_seconds: 0 });
  expect(before['triagem_observing_restarts_total']).toBe(0);
  expect(before['triagem_memory_bytes{kind="rss"}']).toBeGreaterThan(1e7);
  expect(before).toHaveProperty('triagem_event_loop_delay_seconds{quantile="0.99"}');
  expect(before['process_cpu_seconds_total']).toBeGreaterThan(0);

  await setEntered(database.gates, 'a', true);
  await until(() => expect(viewer.counts?.total).toBe(1));
  const after = await readMetrics(server.metricsUrl ?? '');
  expect(after['triagem_counts_version']).toBe((before['triagem_counts_version'] ?? 0) + 1);
  expect(after['triagem_frames_sent_total']).toBeGreaterThan(before['triagem_frames_sent_total'] ?? 0);
  viewer.leave();
  await until(async () => expect((await readMetrics(server.metricsUrl ?? ''))['triagem_viewers']).toBe(0));

  await database.shut();
  await until(async () => {
    const stale = await readMetrics(server.metricsUrl ?? '');
    expect(stale['triagem_live']).toBe(0);
    expect(stale['triagem_data_age_seconds']).toBeGreaterThan(0.5);
  });
  await database.allowConnections(true);
  await until(async () =>
    expect(await readMetrics(server.metricsUrl ?? '')).toMatchObject({
      triagem_live: 1,
      triagem_observing_restarts_total: 1,
    }),
  );
});

test('they give nothing else, and no secret', async () => {
  server = await startTestServer(database, { METRICS_PORT: '0' });
  const base = new URL(server.metricsUrl ?? '').origin;
  for (const path of ['/', '/config.json', '/healthz', '/metrics/', '/metrics?x', '//metrics']) {
    expect([path, (await fetch(`${base}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await fetch(`${base}/metrics`, { method: 'POST', body: 'x' })).status).toBe(404);
  const text = await (await fetch(`${base}/metrics`)).text();
  for (const secret of [KEY, 'postgres://', database.name]) expect(text).not.toContain(secret);
});

test('all ports that are taken are named at once', async () => {
  server = await startTestServer(database, { METRICS_PORT: '0' });
  const { port } = new URL(server.url);
  const { port: metricsPort } = new URL(server.metricsUrl ?? '');
  const starting = startTestServer(database, { PORT: port, METRICS_PORT: metricsPort });
  await expect(starting).rejects.toThrow(
    new RegExp(`- PORT ${port} is .*\n.* METRICS_PORT ${metricsPort} is `),
  );
  expect(() => readConfig({ METRICS_PORT: 'x' })).toThrow(/METRICS_PORT is "x"/);
});

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { status as grpcStatus } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { openFirestoreGates } from '../../testing/firestore/gates.ts';
import { startFirestoreStandIn } from '../../testing/firestore/stand-in.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { readMetrics } from '../../testing/server/metrics.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient, type PageClient } from '../../testing/browser/page-client.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { readiness, startTestServer, type TestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const standIn = openForAll(() => startFirestoreStandIn());

/** Keys are made, as for a new user who sets a project and an emulator. */
const NO_KEYS = { DASHBOARD_EMAIL: '', DASHBOARD_KEY: '', SESSION_SECRET: '' };
const start = (env: Readonly<Record<string, string>>): Promise<TestServer> =>
  startTestServer({ observerUrl: '' }, { ...NO_KEYS, ...env });

async function openBoard({ url }: TestServer): Promise<PageClient> {
  const config = (await (await fetch(`${url}/config.json`)).json()) as Record<
    'eventId' | 'email' | 'key',
    string
  >;
  return openPageClient(url, { eventId: config.eventId, account: config });
}

test('a board on Firestore needs no PostgreSQL and no key: it counts, and keeps what it made in DATA_DIR', async () => {
  const gates = openFirestoreGates(standIn);
  await gates.add('4', 10, 3);
  const server = await start({ ...gates.settings, METRICS_PORT: '0' });
  await untilReady(server);
  const board = await openBoard(server);
  await until(() => expect([board.live, board.counts?.total]).toEqual([true, 3]));
  await gates.mark(true, '4-3', '4-4');
  await until(() => expect(board.counts?.total).toBe(5));
  await gates.mark(false, '4-0');
  await gates.remove('4-1');
  await until(() => expect(board.counts?.total).toBe(3));
  const name = 'triagem_firestore_documents_read_total';
  expect(readFileSync(join(PROJECT_ROOT, 'docs/reference.md'), 'utf8')).toContain(`\`${name}\``);
  const metrics = await readMetrics(server.metricsUrl ?? '');
  expect(metrics[name]).toBeGreaterThanOrEqual(10);
  expect(metrics).toMatchObject({ triagem_live: 1, triagem_observing_restarts_total: 0 });

  const folder = gates.settings['DATA_DIR'] ?? '';
  const key = async (): Promise<unknown> =>
    ((await (await fetch(`${server.url}/config.json`)).json()) as { key: string }).key;
  const before = await key();
  await server.stop();
  expect(readdirSync(folder).toSorted()).toEqual(['firestore-resume', 'secrets.json']);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  const again = await start(gates.settings);
  const config = (await (await fetch(`${again.url}/config.json`)).json()) as { key: string };
  expect(config.key).toBe(before);
});

test('two boards do not share a folder', async () => {
  const gates = openFirestoreGates(standIn);
  await start(gates.settings);
  await expect(start(gates.settings)).rejects.toThrow(/is in use by process \d+.*set DATA_DIR/);
});

test('a folder that cannot be had is said before anything begins', async () => {
  const gates = openFirestoreGates(standIn);
  const folder = makeTestFolder({ file: '' });
  await expect(start({ ...gates.settings, DATA_DIR: join(folder, 'file') })).rejects.toThrow(
    /a file is in its place .*Set DATA_DIR to a folder/,
  );
});

test('why it is not live stands in /readyz', async () => {
  const gates = openFirestoreGates(standIn);
  await gates.add('4', 2, 1);
  const server = await start(gates.settings);
  await untilReady(server);
  standIn.faults.refuseTargets(grpcStatus.PERMISSION_DENIED);
  standIn.faults.removeTargets(grpcStatus.PERMISSION_DENIED);
  await until(async () => {
    const { status, text } = await readiness(server);
    expect([status, text]).toEqual([
      503,
      expect.stringMatching(/"waitingFor":"Firestore refuses to let the collection of tickets be read/),
    ]);
  });
  standIn.faults.restore();
  await untilReady(server);
});

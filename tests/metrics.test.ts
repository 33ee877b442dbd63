import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { askAs } from '../testing/server/ask-as.ts';
import { closeOnce } from '../testing/close-once.ts';
import { createTestDatabase, setEntered, type TestDatabase } from '../testing/database/database.ts';
import { DESK_KEY } from '../testing/desk/desk-app.ts';
import { startCounter, startEdge, untilFollowing } from '../testing/fleet/fleet.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { freePort } from '../testing/server/free-port.ts';
import { readMetrics } from '../testing/server/metrics.ts';
import { type Nats, startNats } from '../testing/fleet/nats-server.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { openPageClient } from '../testing/browser/page-client.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import type { ServerProcess } from '../testing/server/server.ts';
import { startServerProcess } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

/** Metrics of real processes of every kind. */
interface Processes {
  readonly nats: Nats;
  readonly database: TestDatabase;
  readonly counter: ServerProcess;
  readonly edge: ServerProcess;
  /** Of each kind of process, where its metrics are. */
  readonly metricsOf: Readonly<Record<'whole' | 'bare' | 'counter' | 'edge' | 'manyEvents', string>>;
}

const HOST = 'castelao.exemplo.test';
const WEBHOOK = {
  ALARM_WEBHOOK_URL: 'https://127.0.0.1:1/alarms',
  ALARM_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
};

const fleet = openForAll(async (): Promise<Processes> => {
  const [nats, database, ...ports] = await Promise.all([
    startNats(),
    createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }),
    ...Array.from({ length: 5 }, freePort),
  ]);
  const at = (index: number): { METRICS_PORT: string } => ({ METRICS_PORT: String(ports[index]) });
  const url = (index: number): string => `http://127.0.0.1:${ports[index]}/metrics`;
  const { recordUrl: RECORD_DATABASE_URL, observerUrl } = database;
  const flow = { RECORD_DATABASE_URL, ...WEBHOOK };
  const counter = await startCounter(nats, observerUrl, { env: { NODE_NAME: 'c1', ...flow, ...at(0) } });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', ...at(1) } });
  const events = JSON.stringify({ [HOST]: { eventId: DEFAULT_EVENT_ID, title: 'Ceará × Fortaleza' } });
  const EVENTS_FILE = join(makeTestFolder({ 'events.json': events }), 'events.json');
  const many = await startEdge(nats, { env: { NODE_NAME: 'e2', EVENT_TITLE: '', EVENTS_FILE, ...at(2) } });
  await startServerProcess(observerUrl, { env: { DESK_KEY, ...flow, ...at(3) } });
  await startServerProcess(observerUrl, { env: at(4) });
  await untilFollowing(edge, 'c1');
  // An event is followed once somebody has asked for it.
  expect((await askAs(many.url, HOST, '/')).status).toBe(200);
  const metricsOf = { counter: url(0), edge: url(1), manyEvents: url(2), whole: url(3), bare: url(4) };
  return { nats, database, counter, edge, metricsOf };
});

/** The metrics of these groups of docs/reference.md; a group is named by how its item begins. */
function documented(...groups: readonly string[]): string[] {
  const text = readFileSync(join(PROJECT_ROOT, 'docs/reference.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Health and metrics')) ?? '';
  const names = groups.map((group) => {
    const item = section.split(/^- /m).find((one) => one.startsWith(`**${group}`));
    expect(item, group).toBeDefined();
    return [...(item ?? '').matchAll(/`(triagem_\w+)`/g)].map(([, name = '']) => name);
  });
  return names.flat().toSorted();
}

test('each process exports the metrics that the documentation lists for it, and no others', async () => {
  const screens = ['Every process', 'One that serves screens'];
  const flow = ['One that observes', 'One that watches a flow', 'With `ALARM_WEBHOOK_URL`'];
  const relay = ['A counter or an edge'];
  const expected: Record<keyof Processes['metricsOf'], readonly string[]> = {
    whole: [...screens, ...flow, 'One that serves one event'],
    bare: [...screens, 'One that observes', 'One that serves one event'],
    counter: ['Every process', ...flow, ...relay, 'A counter:'],
    edge: [...screens, ...relay, 'An edge:', 'One that serves one event'],
    manyEvents: [...screens, ...relay, 'An edge:', 'An edge with `EVENTS_FILE`'],
  };
  for (const [kind, groups] of Object.entries(expected)) {
    const url = fleet.metricsOf[kind as keyof typeof expected];
    const names = Object.keys(await readMetrics(url)).map((name) => name.replace(/\{.*/, ''));
    const own = [...new Set(names)].filter((name) => name.startsWith('triagem_'));
    expect([kind, own.toSorted()]).toEqual([kind, documented(...groups)]);
  }
});

test('a counter and its edges tell what they say to each other, refuse and find different', async () => {
  const { counter, edge, manyEvents } = fleet.metricsOf;
  const client = await connect({ servers: fleet.nats.servers[0].url });
  closeOnce(() => client.close());
  const screen = await openPageClient(fleet.edge.url);
  await until(() => expect(screen.live).toBe(true));
  const first = { counter: await readMetrics(counter), edge: await readMetrics(edge) };
  expect(first.counter).toMatchObject({
    triagem_live: 1,
    triagem_data_age_seconds: 0,
    triagem_events: 1,
    triagem_relay_connected: 1,
    triagem_relay_reconnects_total: 0,
    triagem_relay_asks_refused_total: 0,
    triagem_observing_restarts_total: 0,
  });
  expect(first.edge).toMatchObject({
    triagem_live: 1,
    triagem_viewers: 1,
    triagem_relay_connected: 1,
    triagem_relay_counters: 1,
    triagem_relay_messages_refused_total: 0,
    triagem_relay_conflicts_total: 0,
  });
  expect(await readMetrics(manyEvents)).toMatchObject({
    triagem_events_served: 1,
    triagem_events_followed: 1,
    triagem_relay_counters: 1,
  });
  await until(async () => expect(await readMetrics(manyEvents)).toMatchObject({ triagem_events_stale: 0 }));

  await setEntered(fleet.database.gates, 'b', true);
  await until(() => expect(screen.counts?.total).toBe(2));
  const conflicting = await stateThatConflicts(client);
  client.publish('triagem.main.ask.e3.freshness', 'no question', { reply: 'triagem.main.inbox.e3.x' });
  client.publish(conflicting.subject, conflicting.content);
  client.publish(conflicting.subject, 'no state');
  const increased = (one: Record<string, number>, other: Record<string, number>, name: string): void =>
    expect([name, (other[name] ?? 0) > (one[name] ?? 0)]).toEqual([name, true]);
  await until(async () => {
    const now = { counter: await readMetrics(counter), edge: await readMetrics(edge) };
    for (const name of ['triagem_relay_states_published_total', 'triagem_relay_answers_total'])
      increased(first.counter, now.counter, name);
    for (const name of [
      'triagem_relay_states_received_total',
      'triagem_frames_sent_total',
      'triagem_counts_version',
    ])
      increased(first.edge, now.edge, name);
    expect(now.counter['triagem_relay_asks_refused_total']).toBe(1);
    expect(now.edge).toMatchObject({
      triagem_relay_messages_refused_total: 1,
      triagem_relay_conflicts_total: 1,
    });
  });
});

/** As a second counter would say it, at the position that is shown, with one more inside. */
async function stateThatConflicts(
  client: NatsConnection,
): Promise<{ readonly subject: string; readonly content: string }> {
  let said: Record<string, unknown> | undefined;
  const subject = (counter: string): string => `triagem.main.state.${counter}.${DEFAULT_EVENT_ID}.counts`;
  const hearing = client.subscribe(subject('c1'), {
    callback: (_error, message) => void (said = message.json()),
  });
  await until(() => expect(said).toMatchObject({ counted: [2, 2, 2, expect.anything(), expect.anything()] }));
  hearing.unsubscribe();
  const counted = [2, 1, 2, [['4', 2, 1, 2]], [0, 0, 0]];
  return { subject: subject('c7'), content: JSON.stringify({ ...said, counter: 'c7', run: 'x', counted }) };
}

test('a counter with a record tells who writes it; without NATS, that it is not connected, and how often it came back', async () => {
  const { counter, edge } = fleet.metricsOf;
  await until(async () => {
    const { triagem_record_writer: one = 0 } = await readMetrics(counter);
    const { triagem_record_writer: other = 0 } = await readMetrics(fleet.metricsOf.whole);
    // One of both: they share the record.
    expect(one + other).toBe(1);
  });
  expect(await readMetrics(counter)).toMatchObject({
    triagem_record_minutes_waiting: expect.any(Number),
    triagem_alarms_active: 0,
    triagem_alarm_webhook_waiting: 0,
  });
  const [server] = fleet.nats.servers;
  await server.kill();
  await until(async () => {
    expect((await readMetrics(counter))['triagem_relay_connected']).toBe(0);
    expect(await readMetrics(edge)).toMatchObject({
      triagem_relay_connected: 0,
      triagem_relay_counters: 0,
      triagem_live: 0,
    });
    expect((await readMetrics(edge))['triagem_data_age_seconds']).toBeGreaterThan(0);
  });
  await server.start();
  await until(async () => {
    for (const url of [counter, edge]) {
      const now = await readMetrics(url);
      expect(now).toMatchObject({ triagem_relay_connected: 1, triagem_live: 1 });
      expect(now['triagem_relay_reconnects_total']).toBeGreaterThan(0);
    }
  });
});

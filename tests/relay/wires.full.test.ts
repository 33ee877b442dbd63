import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { commandUntilAccepted, DESK_EVENT_PATH, openDesk } from '../../testing/desk/desk-client.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { type Nats, startNats } from '../../testing/fleet/nats-server.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { until } from '../../testing/until.ts';

/** Builds of two wire versions beside each other. */
const NEWER = 2;
const ORDER = 'upgrade the edges first, then the counters';

async function openClient(nats: Nats): Promise<NatsConnection> {
  const client = await connect({ servers: nats.servers[0].url });
  closeOnce(() => client.close());
  return client;
}

/** A counter of the newer wire: it publishes a state four times a second, and answers every question. */
async function startNewerCounter(nats: Nats, counter: string): Promise<void> {
  const client = await openClient(nats);
  const message = JSON.stringify({
    wire: NEWER,
    counter,
    run: 'newer',
    event: DEFAULT_EVENT_ID,
    part: 'counts',
    position: '1.1.0000000000000001',
    live: true,
    ageMs: 1,
    counted: [9, 9, 9, [], [9, 9, 9]],
    said: { record: 'writer', isLive: true, lastSeq: 1_000 },
  });
  const answer = (suffix: string) => (_error: Error | null, asked: Msg) =>
    void (asked.reply && client.publish(asked.reply + suffix, message));
  client.subscribe('triagem.main.ask.*.freshness', { callback: answer('') });
  client.subscribe('triagem.main.ask.*.desk.>', { callback: answer(`.${counter}`) });
  const publishing = setInterval(() => {
    client.publish(`triagem.main.state.${counter}.${DEFAULT_EVENT_ID}.counts`, message);
  }, 250);
  closeOnce(() => clearInterval(publishing));
}

test('an edge names the order of the upgrade while all counters are newer, and follows one that it understands', async () => {
  const [nats, database] = await Promise.all([
    startNats(),
    createTestDatabase({ inside: { a: '4' }, outside: { b: '6' } }),
  ]);
  await startNewerCounter(nats, 'c9');
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY } });
  await until(async () => {
    const { code, waitingFor } = await readyz(edge);
    expect([code, waitingFor]).toEqual([503, expect.stringContaining(ORDER)]);
  });
  expect((await readyz(edge)).waitingFor).toContain(`wire version ${NEWER}, and this process reads 1`);
  const desk = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
  const refused = await desk.get(`${DESK_EVENT_PATH}/log`);
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining(ORDER)]);

  const env = { NODE_NAME: 'c1', RECORD_DATABASE_URL: database.recordUrl };
  await startCounter(nats, database.observerUrl, { env });
  await untilFollowing(edge, 'c1');
  const client = await openPageClient(edge.url);
  await setEntered(database.gates, 'b', true);
  await until(async () => {
    expect(client.counts).toEqual(await recount(database.admin));
    expect([client.live, client.counts?.total]).toEqual([true, 2]);
  });
  await commandUntilAccepted(desk, { text: 'chuva' });
  expect((await readyz(edge)).follows).toMatchObject({ counter: 'c1', counters: ['c1'] });
  // Once of its states, and once of its answers, of which there were four a second.
  const refusals = edge.logged.filter(({ msg }) => msg === 'a message is refused');
  expect(refusals.map(({ reason }) => String(reason))).toEqual([
    expect.stringContaining(ORDER),
    expect.stringContaining(ORDER),
  ]);
});

test('a counter answers an edge of a newer wire with the order of the upgrade, and serves the others', async () => {
  const [nats, database] = await Promise.all([startNats(), createTestDatabase({ outside: { a: '4' } })]);
  const env = { NODE_NAME: 'c1', RECORD_DATABASE_URL: database.recordUrl };
  const counter = await startCounter(nats, database.observerUrl, { env });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
  await untilFollowing(edge, 'c1');
  const client = await openClient(nats);
  const answers: string[] = [];
  client.subscribe('triagem.main.inbox.e2.>', {
    callback: (_error, message) => void answers.push(message.string()),
  });
  const ask = (subject: string, question: object): void =>
    client.publish(`triagem.main.ask.e2.${subject}`, JSON.stringify({ wire: NEWER, ...question }), {
      reply: 'triagem.main.inbox.e2.x',
    });
  ask('freshness', {});
  ask(`desk.${DEFAULT_EVENT_ID}.c1`, { ask: 'state' });
  await until(() => {
    const reasons = counter.logged.map(({ reason }) => String(reason));
    expect(reasons).toContainEqual(expect.stringContaining(ORDER));
    expect(answers).toHaveLength(1);
  });
  expect(answers[0]).toContain(ORDER);
  const page = await openPageClient(edge.url);
  await setEntered(database.gates, 'a', true);
  await until(() => expect([page.live, page.counts?.total]).toEqual([true, 1]));
});

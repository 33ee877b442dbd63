import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { listenOnNats, natsOptions, openNatsClient } from '../../testing/fleet/nats-client.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { until } from '../../testing/until.ts';

/** An attacker with an edge's password, against a real counter and another edge. */

const INBOX = 'triagem.main.inbox.edge-1.';
const FLOOD_MS = 4_000;
/** How often another edge asks meanwhile, at least. */
const OTHERS = 10;
const ASK = JSON.stringify({ wire: 1 });

const database = openForAll(() => createTestDatabase({ outside: { a: '4', b: '4' } }));
const nats = openForAll(() => startNats({ asDeployed: true }));
const counter = openForAll(() =>
  startCounter(nats, database.observerUrl, { env: nats.settingsOf('counter-1') }),
);
const edge = openForAll(() => startEdge(nats, { env: nats.settingsOf('edge-2') }));
const thief = openForAll(() => openNatsClient(natsOptions(nats, 'edge-1')));

/** A well-formed question is answered, which shows that the others were refused. */
async function expectAnswered(connection: NatsConnection): Promise<void> {
  const inbox = await listenOnNats(connection, `${INBOX}>`);
  await until(() => {
    connection.publish('triagem.main.ask.edge-1.freshness', ASK, { reply: `${INBOX}mine` });
    expect(inbox.messages.join('\n')).toContain(`${INBOX}mine {`);
  });
}

test('a counter answers nowhere but beneath the inbox of the edge that asks', async () => {
  await untilFollowing(edge, 'counter-1');
  const states = await listenOnNats(thief, 'triagem.main.state.>');
  const others = await listenOnNats(
    await openNatsClient(natsOptions(nats, 'edge-2')),
    'triagem.main.inbox.edge-2.stolen.>',
  );
  const replies = [
    `triagem.main.state.counter-1.${DEFAULT_EVENT_ID}.counts`,
    `triagem.main.state.counter-1.${DEFAULT_EVENT_ID}.stolen`,
    'triagem.main.inbox.edge-2.stolen.1',
    'triagem.main.inbox.edge-1',
    'triagem.main.inbox.edge-10.stolen',
    'triagem.main.inbox.>',
    '>',
  ];
  for (const reply of replies) thief.publish('triagem.main.ask.edge-1.freshness', ASK, { reply });
  await expectAnswered(thief);
  expect(others.messages).toEqual([]);
  expect(
    states.messages.filter((message) => message.includes('"ageMs"') || message.includes('.stolen')),
  ).toEqual([]);
  expect(counter.logged).toContainEqual(
    expect.objectContaining({
      msg: 'a question is not answered',
      edge: 'edge-1',
      reason: 'its reply is not beneath the inbox of its edge',
    }),
  );
  expect((await readyz(edge)).code).toBe(200);
});

test('an edge that asks 8,000 times a second is answered seldom; another one each time that it asks', async () => {
  await untilFollowing(edge, 'counter-1');
  const other = await openNatsClient(natsOptions(nats, 'edge-2'));
  const answers = await listenOnNats(thief, `${INBOX}>`);
  const others: Promise<unknown>[] = [];
  const begunMs = performance.now();
  let asked = 0;
  while (performance.now() - begunMs < FLOOD_MS || others.length < OTHERS) {
    const passedMs = performance.now() - begunMs;
    for (; asked < passedMs * 8; asked += 1) {
      thief.publish('triagem.main.ask.edge-1.freshness', ASK, { reply: `${INBOX}${asked}` });
    }
    if (others.length < passedMs / 250) {
      others.push(other.request('triagem.main.ask.edge-2.freshness', ASK, { timeout: 20_000 }));
    }
    await pause(5);
  }
  await Promise.all(others);
  expect(answers.messages.length).toBeGreaterThan(0);
  expect(answers.messages.length).toBeLessThan(asked / 4);

  const screen = openScreen(edge.url);
  await setEntered(database.gates, 'a', true);
  await until(() => expect([screen.total, screen.live]).toEqual([1, true]));
});

import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnNats, natsOptions, openNatsClient } from '../../testing/fleet/nats-client.ts';
import { type Nats, startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { until } from '../../testing/until.ts';

/** What deploy/nats-server.conf keeps one edge from doing to the others. */

const STATE = 'triagem.main.state.counter-1.5f0c8a1de4b94b6f9a3e7c2d10b8f6a4.documents';
const LARGE = 'x'.repeat(512 * 1_024);

const nats = openForAll(() => startNats({ asDeployed: true }));

/** The users that are connected, as the server knows them. */
async function connected(): Promise<string[]> {
  const { connections } = (await nats.servers[0].monitor('connz?auth=true')) as {
    connections: { authorized_user: string }[];
  };
  return connections.map((connection) => connection.authorized_user);
}

/** An edge that signs in, wants all states, and then reads nothing. */
async function openStuckEdge({ settingsOf, servers, caFile }: Nats): Promise<TLSSocket> {
  const { NATS_USER: user, NATS_PASSWORD: pass } = settingsOf('edge-1');
  const plain = connectTcp(Number(new URL(servers[0].url).port), '127.0.0.1');
  onTestFinished(() => void plain.destroy());
  await new Promise((resolve) => plain.once('data', resolve));
  plain.removeAllListeners('data');
  const secure = connectTls({ socket: plain, servername: 'localhost', ca: readFileSync(caFile ?? '') });
  let said = '';
  secure.on('data', (bytes: Buffer) => (said += bytes.toString())).on('error', () => {});
  const options = JSON.stringify({ user, pass, verbose: false, tls_required: true });
  secure.write(`CONNECT ${options}\r\nSUB triagem.main.state.> 1\r\nPING\r\n`);
  await until(() => expect(said).toContain('PONG'));
  secure.pause();
  return secure;
}

test('an edge that reads nothing is dropped; the others get every state meanwhile', async () => {
  const counter = await openNatsClient(natsOptions(nats, 'counter-1'));
  const { messages } = await listenOnNats(
    await openNatsClient(natsOptions(nats, 'edge-2')),
    'triagem.main.state.>',
  );
  await openStuckEdge(nats);
  expect(await connected()).toContain('edge-1');
  let published = 0;
  await until(async () => {
    counter.publish(STATE, LARGE);
    published += 1;
    await until(() => expect(messages.length).toBe(published));
    expect(await connected()).not.toContain('edge-1');
  });
  expect(nats.servers[0].log).toMatch(/Slow Consumer/);
  expect(await connected()).toEqual(expect.arrayContaining(['counter-1', 'edge-2']));
});

test('who sends more than a message may hold, or listens to too much, is cut off alone', async () => {
  const { messages } = await listenOnNats(
    await openNatsClient(natsOptions(nats, 'counter-1')),
    'triagem.main.ask.>',
  );
  const fat = await openNatsClient(natsOptions(nats, 'edge-1'));
  // The client would not send it; the server is asked.
  Object.assign(fat.info ?? {}, { max_payload: 8 * 1_024 * 1_024 });
  fat.publish('triagem.main.ask.edge-1.freshness', 'x'.repeat(1_024 * 1_024 + 1));
  // It may still be writing when the server ends the connection.
  expect(String(await fat.closed())).toMatch(/Maximum Payload Violation|ECONNRESET|EPIPE/);
  await until(() => expect(nats.servers[0].log).toMatch(/maximum payload exceeded/i));

  const greedy = await openNatsClient(natsOptions(nats, 'edge-1'));
  for (let index = 0; index <= 10_000; index += 1) {
    greedy.subscribe(`triagem.main.state.*.${index}.*`, { callback: () => {} });
  }
  const why = await Promise.race([greedy.closed(), refusalOf(greedy)]);
  expect(String(why)).toMatch(/maximum subscriptions exceeded/i);
  expect(messages).toEqual([]);
});

async function refusalOf(connection: NatsConnection): Promise<Error | undefined> {
  for await (const status of connection.status()) if (status.type === 'error') return status.error;
  return undefined;
}

import { join } from 'node:path';
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openNatsClient } from '../../testing/fleet/nats-client.ts';
import { createNatsOperator, type Operator, type Rights } from '../../testing/fleet/nats-credentials.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { until } from '../../testing/until.ts';

/** NATS with an operator: users are signed, and no server has a list of them (`NATS_CREDS`). */

const COUNTER: Rights = {
  publish: ['triagem.main.state.c1.>', 'triagem.main.inbox.>'],
  subscribe: ['triagem.main.ask.>'],
};
const edgeRights = (name: string): Rights => ({
  publish: [`triagem.main.ask.${name}.>`],
  subscribe: ['triagem.main.state.>', `triagem.main.inbox.${name}.>`],
});
const REFUSED = /NATS refuses the user: correct NATS_USER and NATS_PASSWORD, or NATS_CREDS/;

const parts = openForAll(async () => {
  const operator = await createNatsOperator();
  const [nats, database] = await Promise.all([
    startNats({ operator: operator.config }),
    createTestDatabase({ outside: { a: '4' } }),
  ]);
  const counter = await startCounter(nats, database.observerUrl, {
    env: await settings(operator, 'c1', COUNTER),
  });
  const edge = await startEdge(nats, { env: await settings(operator, 'e1', edgeRights('e1')) });
  return { operator, nats, database, counter, edge };
});

/** Returns the settings with which a process signs in by such a file; its rights are those of its node name. */
async function settings(operator: Operator, name: string, rights: Rights, endsAtS?: number) {
  const text = await operator.credentials(name, rights, endsAtS);
  return { NODE_NAME: name, NATS_CREDS: join(makeTestFolder({ 'nats.creds': text }), 'nats.creds') };
}

async function signIn(text: string): Promise<NatsConnection> {
  const authenticator = credsAuthenticator(new TextEncoder().encode(text));
  return openNatsClient({ servers: parts.nats.servers[0].url, authenticator, reconnect: false });
}

test('counter and edge that sign in with files of credentials show what the database says', async () => {
  const { edge, counter, database } = parts;
  await untilFollowing(edge, 'c1');
  const screen = openScreen(edge.url);
  await setEntered(database.gates, 'a', true);
  await until(async () => {
    expect(screen.board.shown?.counts).toEqual(await recount(database.admin));
    expect([screen.live, screen.total]).toEqual([true, 1]);
  });
  for (const { logged } of [edge, counter])
    expect(logged.map(({ msg }) => msg)).not.toContainEqual(expect.stringMatching(/^NATS refuses/));
});

test('the rights in the file hold: an edge publishes no state, and reads no other inbox', async () => {
  const edge = await signIn(await parts.operator.credentials('e2', edgeRights('e2')));
  const refusals: string[] = [];
  void (async () => {
    for await (const status of edge.status())
      if (status.type === 'error') refusals.push(status.error.message);
  })();
  const state = `triagem.main.state.c1.${DEFAULT_EVENT_ID}.counts`;
  edge.publish(state, 'must not be heard');
  edge.subscribe('triagem.main.inbox.e1.>', { callback: () => {} });
  await until(() =>
    expect(refusals).toEqual([
      `Permissions Violation for Publish to "${state}"`,
      'Permissions Violation for Subscription to "triagem.main.inbox.e1.>"',
    ]),
  );
});

test('nobody comes in without a file, or with one of another operator, or of another key than it names', async () => {
  const { operator, nats } = parts;
  const text = await operator.credentials('e2', edgeRights('e2'));
  await (await signIn(text)).close();
  const foreign = await (await createNatsOperator()).credentials('e2', edgeRights('e2'));
  const seed = /-----BEGIN USER NKEY SEED-----[^]*/;
  const stolen = text.replace(seed, () => seed.exec(foreign)?.[0] ?? '');
  expect(stolen).not.toBe(text);
  for (const wrong of [foreign, stolen])
    await expect(signIn(wrong)).rejects.toThrow('Authorization Violation');
  await expect(connect({ servers: nats.servers[0].url, reconnect: false })).rejects.toThrow(
    'Authorization Violation',
  );
});

test('an edge whose credentials are of another operator, or have ended, says which setting to correct', async () => {
  const { nats, operator } = parts;
  const ended = await settings(operator, 'e3', edgeRights('e3'), Math.floor(Date.now() / 1_000) - 60);
  const foreign = await settings(await createNatsOperator(), 'e4', edgeRights('e4'));
  for (const env of [ended, foreign]) {
    const edge = await startEdge(nats, { env });
    await until(async () => {
      const { code, waitingFor } = await readyz(edge);
      expect([code, waitingFor]).toEqual([503, expect.stringMatching(REFUSED)]);
      expect(edge.logged).toContainEqual(
        expect.objectContaining({ msg: 'not connected to NATS', reason: expect.stringMatching(REFUSED) }),
      );
    });
  }
});

import type { NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  listenOnNats,
  natsOptions,
  type NatsListener,
  openNatsClient,
} from '../../testing/fleet/nats-client.ts';
import { NATS_USERS, type NatsUser, startNats } from '../../testing/fleet/nats-server.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { until } from '../../testing/until.ts';

/** The rights of deploy/nats-server.conf, tried by clients that know nothing of Triagem. */

const EVENT = '5f0c8a1de4b94b6f9a3e7c2d10b8f6a4';
const STATE_OF_1 = `triagem.main.state.counter-1.${EVENT}.counts`;
const STATE_OF_2 = `triagem.main.state.counter-2.${EVENT}.counts`;

/** Three servers, and each user at another: what one of them refuses must not come by way of another. */
const nats = openForAll(() => startNats({ servers: 3, asDeployed: true }));
const connections = new Map<NatsUser, NatsConnection>();
const refusals: string[] = [];

beforeAll(async () => {
  for (const user of NATS_USERS) {
    const connection = await openNatsClient(natsOptions(nats, user));
    connections.set(user, connection);
    void noteRefusals(user, connection);
  }
});

async function noteRefusals(user: NatsUser, connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'error') refusals.push(`${user}: ${status.error.message}`);
  }
}

function as(user: NatsUser): NatsConnection {
  const connection = connections.get(user);
  if (!connection) throw new Error(`${user} is not connected`);
  return connection;
}

/** That they hear each other shows that a test would hear what must not be. */
async function expectHeard(by: NatsListener, sender: NatsUser, subject: string): Promise<void> {
  await until(async () => {
    as(sender).publish(subject, 'may be heard');
    await as(sender).flush();
    expect(by.messages).toContain(`${subject} may be heard`);
  });
}

async function expectPublishRefused(user: NatsUser, subject: string): Promise<void> {
  as(user).publish(subject, 'must not be heard');
  await until(() => expect(refusals).toContain(`${user}: Permissions Violation for Publish to "${subject}"`));
}

async function expectListeningRefused(user: NatsUser, subject: string): Promise<void> {
  const listener = await listenOnNats(as(user), subject);
  expect([subject, listener.refusal]).toEqual([
    subject,
    `Permissions Violation for Subscription to "${subject}"`,
  ]);
}

describe('the account of an edge', () => {
  test('publishes no state, of no counter and of no edge', async () => {
    const atOther = await listenOnNats(as('edge-2'), 'triagem.main.state.>');
    const atItself = await listenOnNats(as('edge-1'), 'triagem.main.state.>');
    const subjects = [STATE_OF_1, STATE_OF_2, `triagem.main.state.edge-1.${EVENT}.counts`];
    for (const subject of subjects) await expectPublishRefused('edge-1', subject);
    await expectHeard(atOther, 'counter-1', STATE_OF_1);
    await expectHeard(atItself, 'counter-2', STATE_OF_2);
    expect([...atOther.messages, ...atItself.messages].join('\n')).not.toContain('must not be heard');
  });

  test('asks in its own name only', async () => {
    const atCounter = await listenOnNats(as('counter-1'), 'triagem.main.ask.>');
    for (const subject of [
      'triagem.main.ask.edge-2.freshness',
      `triagem.main.ask.edge-2.command.${EVENT}`,
      `triagem.main.ask.counter-1.state.${EVENT}`,
      'triagem.main.ask',
      'triagem.other.ask.edge-1.freshness',
    ]) {
      await expectPublishRefused('edge-1', subject);
    }
    await expectHeard(atCounter, 'edge-1', 'triagem.main.ask.edge-1.freshness');
    expect(atCounter.messages.join('\n')).not.toContain('must not be heard');
  });

  test('answers nobody: neither itself, nor another edge', async () => {
    for (const edge of ['edge-1', 'edge-2']) {
      await expectPublishRefused('edge-1', `triagem.main.inbox.${edge}.an-answer`);
    }
  });

  test('reads its own inbox, and no other', async () => {
    const atItself = await listenOnNats(as('edge-1'), 'triagem.main.inbox.edge-1.>');
    for (const subject of [
      'triagem.main.inbox.edge-2.>',
      'triagem.main.inbox.edge-2.an-answer',
      'triagem.main.inbox.*.an-answer',
      'triagem.main.inbox.>',
      'triagem.main.*.edge-2.an-answer',
      'triagem.>',
      '_INBOX.>',
      '>',
    ]) {
      await expectListeningRefused('edge-1', subject);
    }
    await expectHeard(atItself, 'counter-1', 'triagem.main.inbox.edge-1.an-answer');
    as('counter-1').publish('triagem.main.inbox.edge-2.an-answer', 'must not be heard');
    await expectHeard(atItself, 'counter-1', 'triagem.main.inbox.edge-1.another');
    expect(atItself.messages.join('\n')).not.toContain('must not be heard');
  });

  test('does not hear what other edges ask', async () => {
    await expectListeningRefused('edge-1', 'triagem.main.ask.>');
    await expectListeningRefused('edge-1', 'triagem.main.ask.edge-2.>');
  });
});

describe('the account of a counter', () => {
  test('publishes no state of another counter', async () => {
    const atEdge = await listenOnNats(as('edge-1'), 'triagem.main.state.>');
    await expectPublishRefused('counter-1', STATE_OF_2);
    await expectPublishRefused('counter-1', `triagem.other.state.counter-1.${EVENT}.counts`);
    await expectHeard(atEdge, 'counter-1', STATE_OF_1);
    expect(atEdge.messages.join('\n')).not.toContain('must not be heard');
  });

  test('neither asks, nor hears states or answers', async () => {
    await expectPublishRefused('counter-1', 'triagem.main.ask.edge-1.freshness');
    await expectListeningRefused('counter-1', 'triagem.main.state.>');
    await expectListeningRefused('counter-1', 'triagem.main.inbox.>');
  });
});

describe('no account', () => {
  test('uses $SYS', async () => {
    for (const user of NATS_USERS) {
      await expectPublishRefused(user, '$SYS.REQ.SERVER.PING');
      await expectListeningRefused(user, '$SYS.>');
    }
  });

  test('uses JetStream, which no server runs', async () => {
    for (const user of NATS_USERS) {
      await expectPublishRefused(user, '$JS.API.INFO');
      await expectListeningRefused(user, '$JS.>');
      expect(as(user).info?.jetstream ?? false).toBe(false);
    }
    for (const server of nats.servers) {
      expect(await server.monitor('jsz')).toMatchObject({ disabled: true });
    }
  });
});

import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { listenOnNats, openNatsClient } from '../testing/fleet/nats-client.ts';
import { startNats } from '../testing/fleet/nats-server.ts';
import { until } from '../testing/until.ts';

test('of three servers one is killed, another stands still: what is told to one comes by way of the rest', async () => {
  const { servers } = await startNats({ servers: 3 });
  const [first, second, third] = servers;
  if (!first || !second || !third) throw new Error('there are three');
  await second.kill();
  const speaker = await openNatsClient({ servers: first.url, ignoreClusterUpdates: true, reconnect: false });
  const hearer = await openNatsClient({ servers: third.url, ignoreClusterUpdates: true, reconnect: false });
  const { messages } = await listenOnNats(hearer, 'told');
  const expectHeard = (text: string): Promise<void> =>
    until(() => {
      speaker.publish('told', text);
      expect(messages).toContain(`told ${text}`);
    });
  await expectHeard('while one is dead');

  third.pause();
  // Its threads stop a moment after they are told to.
  await until(async () => {
    const outcome = await connect({ servers: third.url, timeout: 300, reconnect: false }).then(
      (connection) => connection.close(),
      (error: Error) => error.message,
    );
    expect(outcome).toBe('timeout');
  });
  speaker.publish('told', 'while it stood still');
  await speaker.flush();
  expect(messages).not.toContain('told while it stood still');
  third.resume();
  await expectHeard('once it goes on');

  await second.start();
  const { messages: messagesAgain } = await listenOnNats(
    await openNatsClient({ servers: second.url, ignoreClusterUpdates: true, reconnect: false }),
    'told',
  );
  await until(() => {
    speaker.publish('told', 'once it is back');
    expect(messagesAgain).toContain('told once it is back');
  });
});

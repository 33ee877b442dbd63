import { connect } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { closeOnce } from '../../../testing/close-once.ts';
import { openHosts } from '../../../testing/fleet/hosts.ts';
import { startNats } from '../../../testing/fleet/nats-server.ts';
import { until } from '../../../testing/until.ts';

/** TCP repeats what is not received 6, 13 and 25 s after it was sent first. */
const PARTED_MS = 15_000;
const AGAIN_WITHIN_MS = 3_000;

test('NATS servers reach one another again soon after a long partition', { timeout: 120_000 }, async () => {
  const hosts = await openHosts(['nats-1', 'nats-2']);
  const nats = await startNats({ servers: 2, hosts: [hosts.of['nats-1'], hosts.of['nats-2']] });
  const [to, from] = await Promise.all(nats.servers.map(({ url }) => connect({ servers: url })));
  if (!to || !from) throw new Error('unreachable: there are two servers');
  let received = 0;
  to.subscribe('sent', { callback: () => void (received += 1) });
  const sending = setInterval(() => from.publish('sent'), 50);
  closeOnce(() => clearInterval(sending));
  await until(() => expect(received).toBeGreaterThan(0));
  const heal = await hosts.isolate(['nats-1']);
  await pause(PARTED_MS);
  const before = received;
  await heal();
  await until(() => expect(received).toBeGreaterThan(before), AGAIN_WITHIN_MS);
  clearInterval(sending);
  await Promise.all([to.close(), from.close()]);
});

import { once } from 'node:events';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { until } from '../../testing/until.ts';
import { NatsLink } from './nats-link.ts';

/** A server that takes connections, and says nothing. */
async function startSilentServer(): Promise<{ host: string; port: number; connections: () => number }> {
  let count = 0;
  const server = createServer(() => (count += 1)).listen(0, '127.0.0.1');
  closeOnce(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { host: '127.0.0.1', port, connections: () => count };
}

test('a server that does not let us in holds nobody up: the next one is tried beside it, and nothing is reported', async () => {
  const nats = await startNats();
  const silent = await startSilentServer();
  const { hostname, port } = new URL(nats.url);
  const servers = [silent, { host: hostname, port: Number(port) }];
  const logged: { msg: string }[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line) as { msg: string }) });
  const link = new NatsLink({
    target: { servers, isTls: false, caFile: undefined, account: undefined },
    name: 'test',
    log,
  });
  link.changeTo(silent, 'the first one');
  link.start();
  closeOnce(() => link.stop());
  await until(() => expect(link.notConnectedReason).toBeUndefined());
  expect(link.server).toBe(servers[1]);
  expect(silent.connections()).toBe(1);
  expect(logged.map(({ msg }) => msg)).toEqual(['connected to NATS']);
});

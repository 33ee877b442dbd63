import { once } from 'node:events';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { type NatsServer, startNats } from '../../testing/fleet/nats-server.ts';
import { until } from '../../testing/until.ts';
import { NatsLink } from './nats-link.ts';
import type { NatsServerAddress } from './nats-target.ts';

/** A server that takes connections, and says nothing. */
async function startSilentServer(
  onConnection = (): void => {},
): Promise<{ host: string; port: number; connections: () => number }> {
  let count = 0;
  const server = createServer(() => {
    count += 1;
    onConnection();
  }).listen(0, '127.0.0.1');
  closeOnce(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { host: '127.0.0.1', port, connections: () => count };
}

interface Logged {
  readonly msg: string;
  readonly reason?: string;
}

/** A link that comes to the first server first. */
function openLink(
  servers: readonly NatsServerAddress[],
  logged: Logged[] = [],
): { link: NatsLink; logged: Logged[] } {
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line) as Logged) });
  vi.spyOn(Math, 'random').mockReturnValueOnce(0);
  const link = new NatsLink({
    target: { servers, isTls: false, caFile: undefined, account: undefined },
    name: 'test',
    log,
  });
  link.start();
  closeOnce(() => link.stop());
  return { link, logged };
}

async function startAddressedNats(): Promise<NatsServerAddress & Pick<NatsServer, 'pause' | 'resume'>> {
  const nats = await startNats();
  const { hostname, port } = new URL(nats.url);
  const [server] = nats.servers;
  return { host: hostname, port: Number(port), pause: () => server.pause(), resume: () => server.resume() };
}

test('a server that does not let us in holds nobody up: the next one is tried beside it, and nothing is reported', async () => {
  const nats = await startAddressedNats();
  const silent = await startSilentServer();
  const { link, logged } = openLink([silent, nats]);
  await until(() => expect(link.notConnectedReason).toBeUndefined());
  expect(link.server).toBe(nats);
  expect(silent.connections()).toBe(1);
  expect(logged.map(({ msg }) => msg)).toEqual(['connected to NATS']);
});

test('a connection is given up for another one only once that is there', async () => {
  const [first, other, silent] = [
    await startAddressedNats(),
    await startAddressedNats(),
    await startSilentServer(),
  ];
  const { link, logged } = openLink([first, silent, other]);
  const got: string[] = [];
  link.subscribe({
    subject: 'said',
    onMessage: (_subject, bytes) => got.push(new TextDecoder().decode(bytes)),
  });
  const expectHeard = async (text: string): Promise<void> => {
    link.publish('said', new TextEncoder().encode(text));
    await until(() => expect(got).toContain(text));
  };
  await until(() => expect(link.server).toBe(first));
  link.changeTo(silent, 'to the silent one');
  await until(() => expect(silent.connections()).toBe(1));
  await expectHeard('while the other one says nothing');
  expect(link.connections).toBe(1);
  await until(() => {
    if (link.server === first) link.changeToNext('to the next one');
    expect(link.server).toBe(other);
  });
  await expectHeard('behind the other one');
  expect(logged.map(({ msg, reason = '' }) => `${msg} ${reason}`.trim())).toEqual([
    'connected to NATS',
    'changing to another connection to NATS to the next one',
    'connected to NATS',
  ]);
});

test('while a server is slow to answer, and not given up yet, another one is asked', async () => {
  const logged: Logged[] = [];
  const first = await startAddressedNats();
  const silent = await startSilentServer(() => logged.push({ msg: 'another one is asked' }));
  const { link } = openLink([first, silent], logged);
  await until(() => expect(link.server).toBe(first));
  first.pause();
  await until(() => expect(link.notConnectedReason).toBeDefined());
  first.resume();
  await until(() => expect(link.connections).toBe(2));
  expect(logged.map(({ msg }) => msg).slice(0, 3)).toEqual([
    'connected to NATS',
    'another one is asked',
    'not connected to NATS',
  ]);
});

test('a server that falls silent is replaced by one that lets us in', async () => {
  const [first, other] = [await startAddressedNats(), await startAddressedNats()];
  const { link, logged } = openLink([first, other]);
  await until(() => expect(link.server).toBe(first));
  first.pause();
  await until(() => expect(link.server).toBe(other));
  first.resume();
  expect(link.notConnectedReason).toBeUndefined();
  expect(link.connections).toBe(2);
  expect(logged.at(-2)?.reason).toBe('the NATS server does not answer');
});

import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { closeOnce } from '../../../testing/close-once.ts';
import { listenLocally } from '../../../testing/server/port.ts';
import { until } from '../../../testing/until.ts';
import { Channel } from './channel.ts';

test('a channel to a silent host leaves no connection behind when it is closed', async () => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.resume());
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  closeOnce(() => server.close());
  const emulatorHost = `127.0.0.1:${await listenLocally(server)}`;
  const channel = new Channel(
    {
      kind: 'firestore',
      project: 'p',
      database: '(default)',
      collection: 'events/{event}/tickets',
      credentials: { kind: 'emulator-owner' },
      emulatorHost,
      authEmulatorHost: undefined,
      dataDir: undefined,
    },
    'projects/p/databases/(default)',
  );
  const ends: number[] = [];
  channel.listen('owner', { onMessage: () => {}, onEnd: ({ code }) => void ends.push(code) });
  await until(() => expect(open.size).toBe(1));
  expect(channel.isConnected).toBe(false);
  channel.close();
  await until(() => expect([open.size, ends.length]).toEqual([0, 1]));
});

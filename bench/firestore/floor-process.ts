import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Channel } from '../../board/sources/firestore/channel.ts';
import { readTicket } from '../../board/sources/firestore/documents.ts';
import { databaseOf } from '../../board/sources/firestore/firestore-place.ts';
import type { FirestoreSettings } from '../../board/sources/firestore/firestore-settings.ts';
import { decodeListenResponse } from '../../board/sources/firestore/messages.ts';
import { encodeAddTarget } from '../../board/sources/firestore/requests.ts';
import { serveRpc } from '../../testing/server/rpc.ts';
import { EVENT_PATH, PROJECT } from './sale.ts';

/**
 * The least that anybody who listens to Firestore can cost and take: one bare stream, in which nobody looks for what a ticket
 * was before, and the total to each client at each snapshot. It is right as long as nobody is taken back.
 */

const TARGET = 1;

serveRpc({
  async listen(host: string): Promise<number> {
    const sockets = new Set<Socket>();
    let total = 0;
    const send = (socket: Socket): void => void socket.write(`event: counts\ndata: {"total":${total}}\n\n`);
    const server = createServer((socket) => {
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket)).on('error', () => {});
      socket.resume();
      sockets.add(socket);
      send(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await openStream(
      host,
      () => (total += 1),
      () => sockets.forEach(send),
    );
    return (server.address() as AddressInfo).port;
  },
});

/** Resolves with the first snapshot. */
function openStream(host: string, onEntered: () => void, onSnapshot: () => void): Promise<void> {
  const settings: FirestoreSettings = {
    kind: 'firestore',
    project: PROJECT,
    database: '(default)',
    collection: 'events/{event}/tickets',
    credentials: { kind: 'emulator-owner' },
    emulatorHost: host,
    authEmulatorHost: undefined,
    dataDir: undefined,
  };
  const database = databaseOf(settings);
  const query = { parent: `${database}/documents/${EVENT_PATH}`, collectionId: 'tickets', where: [] };
  return new Promise((resolve, reject) => {
    let isCurrent = false;
    const call = new Channel(settings, database).listen('owner', {
      onMessage(bytes) {
        const response = decodeListenResponse(bytes);
        if (response?.kind === 'document' && readTicket(response.document).entrou) onEntered();
        if (response?.kind !== 'target') return;
        isCurrent ||= response.change === 'current';
        const isWhole = response.change === 'none' && response.targetIds.length === 0;
        if (!isWhole || !isCurrent || response.readTimeUs === undefined) return;
        onSnapshot();
        resolve();
      },
      onEnd: ({ message }) => reject(new Error(`the stream ended: ${message}`)),
    });
    call.send(encodeAddTarget(database, { id: TARGET, of: { query }, resumeToken: undefined }));
  });
}

/** Passes datagrams on between two programs, each 100 to 300 ms late, but one of twenty never. It ends with its parent. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const LEAST_MS = 100;
const SPREAD_MS = 200;
const LOST = 0.05;

const sockets = [createSocket('udp4'), createSocket('udp4')];
for (const socket of sockets) {
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
}
const relays = sockets.map((socket) => socket.address().port);
const socats = await freePorts(2);
for (const [index, socket] of sockets.entries()) {
  const other = 1 - index;
  socket.on('message', (frame) => {
    if (Math.random() < LOST) return;
    setTimeout(
      () => sockets[other].send(frame, socats[other], '127.0.0.1'),
      LEAST_MS + SPREAD_MS * Math.random(),
    );
  });
  // Nobody listens there yet, or any more.
  socket.on('error', () => {});
}
process.send(relays.map((relay, index) => ({ relay, socat: socats[index] })));
process.on('disconnect', () => process.exit());

async function freePorts(count) {
  const taken = Array.from({ length: count }, () => createSocket('udp4').bind(0, '127.0.0.1'));
  await Promise.all(taken.map((socket) => once(socket, 'listening')));
  const ports = taken.map((socket) => socket.address().port);
  for (const socket of taken) socket.close();
  return ports;
}

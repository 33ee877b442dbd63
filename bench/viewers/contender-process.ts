import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { longestStallMs } from '../support/event-loop-stall.ts';
import { serveRpc } from '../../testing/server/rpc.ts';

/** The process of a contender: a server that sends a text to all its viewers, in the way that its argument names. */

/** As long as Linux lets it be: hundreds of viewers connect at the same time. */
const BACKLOG = 4_096;
const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
const TEXT = { binary: false };

const [way] = process.argv.slice(2);
const server = createServer();
let newest = Buffer.alloc(0);
const sendToAll = way === 'ws' ? sendMessages() : streamEvents();

serveRpc({
  longestStallMs,
  async listen() {
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  send(event: string) {
    const chunk = `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
    newest = Buffer.from(way === 'bare bytes' ? chunk : event);
    sendToAll();
  },
});

/**
 * `res.write`, the usual way: of the frame, to each viewer's response. `bare bytes`, the least there is: the same bytes,
 * chunked once, written to each socket, and nothing beside it.
 */
function streamEvents(): () => void {
  const streams = new Set<NonNullable<ServerResponse['socket']> | ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    const stream = way === 'bare bytes' ? response.socket : response;
    if (!stream) return;
    response.writeHead(200, HEADERS);
    if (way === 'bare bytes') response.flushHeaders();
    stream.write(newest);
    streams.add(stream);
    response.on('close', () => streams.delete(stream));
  });
  return () => streams.forEach((stream) => stream.write(newest));
}

/** `ws`: WebSockets without compression, the same text as one message to each viewer. */
function sendMessages(): () => void {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    // A viewer that is gone leaves `clients` by itself.
    socket.on('error', () => {});
    socket.send(newest, TEXT);
  });
  return () => sockets.clients.forEach((socket) => socket.send(newest, TEXT));
}

import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/** Sockets that carry an open stream: nothing but the stream may be written to them. */
const streaming = new WeakSet<Socket>();

/** Returns a function that releases the socket for the next request on its connection. */
export function markStreaming(socket: Socket): () => void {
  streaming.add(socket);
  return () => void streaming.delete(socket);
}

export function isStreaming(socket: Socket): boolean {
  return streaming.has(socket);
}

/**
 * Disconnects a viewer that sends further requests on the connection of its stream. Their answers would wait for the
 * stream to end, and the memory that Node keeps for them would grow without a limit.
 */
export function cutRequestsBehindStreams(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, next) => {
    if (!isStreaming(request.raw.socket)) return next();
    reply.hijack();
    request.raw.socket.destroy();
    return undefined;
  });
}

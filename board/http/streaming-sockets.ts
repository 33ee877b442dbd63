import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/** Sockets that carry an open stream: nothing but the stream may be written to them. */
const streaming = new WeakSet<Socket>();

/** Returns the function that frees the socket for the next request on its connection. */
export function markStreaming(socket: Socket): () => void {
  streaming.add(socket);
  return () => void streaming.delete(socket);
}

export function isStreaming(socket: Socket): boolean {
  return streaming.has(socket);
}

/**
 * Cuts a viewer that goes on to send requests on the connection of its stream. Their answers would wait for the
 * stream to end, and so would everything that Node keeps for them: memory without a bound.
 */
export function cutRequestsBehindStreams(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, next) => {
    if (!isStreaming(request.raw.socket)) return next();
    reply.hijack();
    request.raw.socket.destroy();
    return undefined;
  });
}

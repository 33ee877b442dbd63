import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';

/**
 * Only a POST that has a route may have a body, of JSON. Any other body is not read, and the answer closes the connection:
 * Node would otherwise read and discard whatever the client sends.
 */
export function refuseUnexpectedBodies(app: FastifyInstance): void {
  // A form of another site could send text/plain without a preflight.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request) || (request.method === 'POST' && !request.is404)) return undefined;
    reply.header('connection', 'close');
    return request.is404 ? sendProblem(reply, 404) : sendProblem(reply, 400, 'this call takes no body');
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';

/**
 * Answers with a problem document (RFC 9457). `detail` must not repeat what the client sent. `more`: what programs read of
 * it, beside the standard's members.
 */
export function sendProblem(
  reply: FastifyReply,
  status: number,
  detail?: string,
  more?: Readonly<Record<string, string>>,
): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more }));
}

/**
 * Answers a path that the router cannot read, before any hook has set a header. An overlong one is answered like any unknown
 * path.
 */
export function answerFrameworkError(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('x-content-type-options', 'nosniff');
  sendProblem(reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 404 : 400);
}

/** Every error of the server is a problem document. */
export function answerErrorsAsProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((_request: FastifyRequest, reply: FastifyReply) => sendProblem(reply, 404));
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    return sendProblem(reply, status);
  });
}

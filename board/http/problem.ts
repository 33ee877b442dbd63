import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';

/**
 * Answers with a problem document (RFC 9457). `detail` must not repeat what the client sent. `extensions`: further members,
 * for programs.
 */
export function sendProblem(
  reply: FastifyReply,
  status: number,
  detail?: string,
  extensions?: Readonly<Record<string, string>>,
): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(
      JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...extensions }),
    );
}

/**
 * Answers a request whose path the router cannot parse. No hook has set a header by then. A path that is too long is
 * answered like an unknown one.
 */
export function answerFrameworkError(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('x-content-type-options', 'nosniff');
  sendProblem(reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? 404 : 400);
}

/** Makes the server answer every error with a problem document. */
export function answerErrorsAsProblems(app: FastifyInstance): void {
  app.setNotFoundHandler((_request: FastifyRequest, reply: FastifyReply) => sendProblem(reply, 404));
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    return sendProblem(reply, status);
  });
}

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorMessage } from '../cli/errors.ts';
import { Refusal } from './refusal.ts';

/** Limits how long a client may take to read an error. */
const CLOSE_GRACE_MS = 1_000;

/** Answers with a problem document. Closes the connection where the body has not been read to its end. */
export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  if (refusal.retryAfterS !== undefined) reply.header('retry-after', refusal.retryAfterS);
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type('application/problem+json')
    .send(JSON.stringify(refusal.toProblem()));
}

/**
 * `log` gets the faults of the server, `note` the requests that are refused before a message is read. Nobody's gate is
 * behind a GET of what is not there.
 */
export function answerErrorsAsProblems(
  app: FastifyInstance,
  log: (line: string) => void,
  note: NoteRefused,
): void {
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const refusal = new Refusal(404, 'There is nothing here: see /openapi.json.');
    if (request.method !== 'GET' && request.method !== 'HEAD') note(request, refusal);
    return sendProblem(reply, refusal);
  });
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const status = error.statusCode ?? 500;
    if (!(error instanceof Refusal) && status >= 500) log(`A request failed: ${errorMessage(error)}`);
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal(status, status < 500 ? error.message : 'A fault of the server.');
    note(request, refusal);
    return sendProblem(reply, refusal);
  });
}

/** Returns an answer to a path that the router cannot read. */
export function answerFrameworkErrors(note: NoteRefused) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
    const refusal = isTooLong
      ? new Refusal(404, 'There is no such event here.')
      : new Refusal(400, 'Bad path.');
    note(request, refusal);
    sendProblem(reply, refusal);
  };
}

export type NoteRefused = (request: FastifyRequest, refusal: Refusal) => void;

const CLIENT_ERRORS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Answers bytes that are no HTTP, and headers that are too large or too slow. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = CLIENT_ERRORS[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status });
  // Unread bytes would reset the connection, and the client would lose the answer.
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  const cut = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once('close', () => clearTimeout(cut));
}

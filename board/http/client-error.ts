import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { isStreaming } from './streaming-sockets.ts';

/** So long a client that got an error may take to read it. */
const CLOSE_GRACE_MS = 1_000;

/**
 * Answers what never became a request: bytes that are no HTTP, headers that are too large or too slow, a body
 * that is too slow. Logs nothing: the bytes may hold anything, and anybody can send them as fast as they like.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isStreaming(socket)) {
    socket.destroy();
    return;
  }
  // With what is still unread, destroying the socket at once could take the answer from the client.
  socket.end(problemMessage(statusOf(error.code)));
  const cut = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once('close', () => clearTimeout(cut));
}

function statusOf(code: string | undefined): number {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    default:
      return 400;
  }
}

function problemMessage(status: number): string {
  const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

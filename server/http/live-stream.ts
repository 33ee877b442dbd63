import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { encodeLiveMessage, type VenueClock } from '../../domain/live-message.ts';
import { chunk } from '../fan-out/chunk.ts';
import type { FanOut, Frame, Viewer } from '../fan-out/fan-out.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { sendProblem } from './problem.ts';
import { markStreaming } from './streaming-sockets.ts';

/** A viewer that is refused is asked to come back after so long. */
const RETRY_AFTER_S = 10;

/** So long a viewer may take to read the rest of a stream that has ended. */
const CLOSE_GRACE_MS = 5_000;

export interface LiveStreamOptions {
  readonly limiter: ConnectionLimiter;
  readonly fanOut: FanOut;
  readonly readClock: () => VenueClock;
  readonly buildId: string;
}

/** Answers with the stream of server-sent events, unless there are too many. */
export function answerLive(
  request: FastifyRequest,
  reply: FastifyReply,
  options: LiveStreamOptions,
): FastifyReply | undefined {
  const acquired = options.limiter.acquire(request.ip);
  if (!acquired.ok) {
    const { limit, shouldLog } = acquired;
    if (shouldLog) {
      const setting = limit === 'server' ? 'MAX_VIEWERS' : 'MAX_VIEWERS_PER_ADDRESS';
      request.log.warn({ address: request.ip, setting }, 'viewers are refused: too many streams');
    }
    reply.header('retry-after', RETRY_AFTER_S);
    return limit === 'server'
      ? sendProblem(reply, 503, 'there are too many viewers')
      : sendProblem(reply, 429, 'there are too many viewers at this address');
  }
  openLiveStream(reply, options, acquired.release);
  return undefined;
}

/**
 * Opens the stream on this reply, until the viewer, its session or the server ends. Frames go to the socket as
 * they are, already in chunked coding: encoding them once for all viewers is what makes a screen cheap.
 */
function openLiveStream(
  reply: FastifyReply,
  { fanOut, readClock, buildId }: LiveStreamOptions,
  release: () => void,
): void {
  const { sessionEndsAtMs } = reply.request;
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  reply.header('cache-control', 'no-store');
  // nginx would otherwise collect the stream in a buffer.
  reply.header('x-accel-buffering', 'no');
  reply.hijack();
  const response = reply.raw;
  const { socket } = response;
  if (!socket || socket.destroyed) {
    // The client is gone, or another answer on this connection is not finished.
    release();
    reply.request.raw.socket.destroy();
    return;
  }
  // The first messages arrive together: a screen that replaces one stream by another shows no gap.
  socket.cork();
  response.writeHead(200, reply.getHeaders() as Record<string, string>);
  response.flushHeaders();
  socket.setTimeout(0);

  const viewer = new StreamViewer(response, socket, performance.now() + sessionEndsAtMs - Date.now());
  const sentAtMs = Math.round(performance.now());
  const clock = readClock();
  viewer.send(chunk(encodeLiveMessage({ event: 'build', sentAtMs, clock, data: { id: buildId } })));
  const leave = fanOut.join(viewer);
  const close = (): void => {
    leave();
    viewer.releaseSocket();
    release();
  };
  response.on('close', close);
  response.on('error', close);
  socket.uncork();
}

class StreamViewer implements Viewer {
  readonly expiresAtMs: number;
  readonly releaseSocket: () => void;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #isChunked: boolean;

  constructor(response: ServerResponse, socket: Socket, expiresAtMs: number) {
    this.#response = response;
    this.#socket = socket;
    this.expiresAtMs = expiresAtMs;
    this.releaseSocket = markStreaming(socket);
    // An HTTP/1.0 client (some proxies speak it) gets a body that the connection's end ends.
    this.#isChunked = response.chunkedEncoding;
  }

  send(frame: Frame): boolean {
    if (!this.#socket.writable) return true;
    return this.#socket.write(this.#isChunked ? frame : withoutChunkCoding(frame));
  }

  onDrain(resume: () => void): void {
    this.#socket.once('drain', resume);
  }

  end(): void {
    this.releaseSocket();
    // A viewer that reads no more would otherwise stay without end.
    const cut = setTimeout(() => this.cut(), CLOSE_GRACE_MS);
    this.#response.once('close', () => clearTimeout(cut));
    this.#response.end();
  }

  cut(): void {
    this.#socket.destroy();
  }
}

function withoutChunkCoding(frame: Frame): Frame {
  return frame.subarray(frame.indexOf('\r\n') + 2, -2);
}

import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Frame, Viewer } from '../fan-out/fan-out.ts';
import { COMMENT, type QuietStream, type QuietStreams } from './quiet-streams.ts';
import { markStreaming } from './streaming-sockets.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** `undefined`: streams may be silent. */
    quietStreams: QuietStreams | undefined;
  }
}

/** How long a viewer may take to read the rest of a stream that has ended. */
const CLOSE_GRACE_MS = 5_000;

/**
 * Answers with a stream of server-sent events, for as long as the session of the request. Frames go to the socket as
 * they are, already in chunked coding: encoding them once for all viewers is what makes a screen cheap. `undefined`: the
 * client is gone. What is sent before `begin` arrives together.
 */
export function openEventStream(reply: FastifyReply): EventStream | undefined {
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
    reply.request.raw.socket.destroy();
    return undefined;
  }
  // The first messages arrive together: a screen that replaces one stream by another shows no gap.
  socket.cork();
  response.writeHead(200, reply.getHeaders() as Record<string, string>);
  response.flushHeaders();
  socket.setTimeout(0);
  const { quietStreams } = reply.server;
  return new EventStream(response, socket, {
    expiresAtMs: performance.now() + sessionEndsAtMs - Date.now(),
    quietStreams,
  });
}

export class EventStream implements Viewer, QuietStream {
  readonly expiresAtMs: number;
  readonly #quietStreams: QuietStreams | undefined;
  #mayBeSilent = (): void => {};
  #isSilent = true;
  readonly #releaseSocket: () => void;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #isChunked: boolean;

  constructor(
    response: ServerResponse,
    socket: Socket,
    options: { readonly expiresAtMs: number; readonly quietStreams: QuietStreams | undefined },
  ) {
    this.#response = response;
    this.#socket = socket;
    this.expiresAtMs = options.expiresAtMs;
    this.#quietStreams = options.quietStreams;
    this.#releaseSocket = markStreaming(socket);
    // An HTTP/1.0 client (some proxies speak it) gets a body that the connection's end ends.
    this.#isChunked = response.chunkedEncoding;
  }

  /** `onClose` is called when the stream has ended from either side; it may be called twice. */
  begin(onClose: () => void): void {
    const close = (): void => {
      onClose();
      this.#mayBeSilent();
      this.#releaseSocket();
    };
    this.#response.on('close', close);
    this.#response.on('error', close);
    this.#socket.uncork();
    this.#mayBeSilent = this.#quietStreams?.add(this) ?? this.#mayBeSilent;
  }

  send(frame: Frame): boolean {
    if (!this.#socket.writable) return true;
    this.#isSilent = false;
    return this.#socket.write(this.#isChunked ? frame : withoutChunkCoding(frame));
  }

  breakSilence(): void {
    // Where bytes wait, they break the silence.
    if (this.#isSilent && this.#socket.writableLength === 0) this.send(COMMENT);
    else this.#isSilent = true;
  }

  onDrain(resume: () => void): void {
    this.#socket.once('drain', resume);
  }

  end(): void {
    this.#mayBeSilent();
    this.#releaseSocket();
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

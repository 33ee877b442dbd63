import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { encodeLiveMessage } from '../../domain/live-message.ts';
import { chunk } from '../fan-out/chunk.ts';
import type { FanOut, Frame, Viewer } from '../fan-out/fan-out.ts';

/**
 * Opens the stream of server-sent events on this reply, until the viewer, its session or the server ends.
 * Frames go to the socket as they are, already in chunked coding: encoding them once for all viewers is what
 * makes a screen cheap.
 */
export function openLiveStream(reply: FastifyReply, fanOut: FanOut, buildId: string): void {
  const { sessionEndsAtMs } = reply.request;
  reply.header('content-type', 'text/event-stream; charset=utf-8');
  reply.header('cache-control', 'no-store');
  // nginx would otherwise collect the stream in a buffer.
  reply.header('x-accel-buffering', 'no');
  reply.hijack();
  const response = reply.raw;
  const { socket } = response;
  if (!socket) return;
  response.writeHead(200, reply.getHeaders() as Record<string, string>);
  response.flushHeaders();
  socket.setTimeout(0);

  const viewer = new StreamViewer(response, socket, performance.now() + sessionEndsAtMs - Date.now());
  viewer.send(chunk(encodeLiveMessage({ event: 'build', data: { id: buildId } })));
  const leave = fanOut.join(viewer);
  response.on('close', leave);
  response.on('error', leave);
}

class StreamViewer implements Viewer {
  readonly expiresAtMs: number;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #isChunked: boolean;

  constructor(response: ServerResponse, socket: Socket, expiresAtMs: number) {
    this.#response = response;
    this.#socket = socket;
    this.expiresAtMs = expiresAtMs;
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
    this.#response.end();
  }

  cut(): void {
    this.#socket.destroy();
  }
}

function withoutChunkCoding(frame: Frame): Frame {
  return frame.subarray(frame.indexOf('\r\n') + 2, -2);
}

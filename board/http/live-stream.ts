import type { FastifyReply, FastifyRequest } from 'fastify';
import { performance } from 'node:perf_hooks';
import { encodeLiveMessage } from '../../domain/live-message.ts';
import { chunk } from '../fan-out/chunk.ts';
import { PacedViewer } from '../fan-out/paced-viewer.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { openEventStream } from './event-stream.ts';
import { sendProblem } from './problem.ts';
import { receivedAtMs } from './received-at.ts';
import { eventOf, type ServedEvent } from './served-event.ts';

/** A viewer that is refused is asked to come back after this long. */
const RETRY_AFTER_S = 10;

/**
 * Answers with the stream of server-sent events, unless there are too many. Frames are at least `paceMs` apart.
 */
export function answerLive(
  request: FastifyRequest,
  reply: FastifyReply,
  { limiter, paceMs }: { readonly limiter: ConnectionLimiter; readonly paceMs: number },
): FastifyReply | undefined {
  const acquired = limiter.acquire(request.ip);
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
  openLiveStream(reply, eventOf(request), { paceMs, release: acquired.release });
  return undefined;
}

/** Opens the stream on this reply, until the viewer, its session or the server ends. */
function openLiveStream(
  reply: FastifyReply,
  { fanOut, readClock, pages }: ServedEvent,
  { paceMs, release }: { readonly paceMs: number; readonly release: () => void },
): void {
  const stream = openEventStream(reply);
  if (!stream) return release();
  const sentAtMs = Math.round(performance.now());
  const build = {
    event: 'build',
    sentAtMs,
    receivedAtMs: Math.floor(receivedAtMs(reply.request.raw)),
    clock: readClock(),
    data: { id: pages.buildId },
  } as const;
  stream.send(chunk(encodeLiveMessage(build)));
  const leave = fanOut.join(paceMs > 0 ? new PacedViewer(stream, paceMs) : stream);
  stream.begin(() => {
    leave();
    release();
  });
}

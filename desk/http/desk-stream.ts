import type { FastifyInstance } from 'fastify';
import { performance } from 'node:perf_hooks';
import { DESK_INTERVAL_MS, encodeDeskMessage } from '../model/desk-message.ts';
import { encodeLiveMessage } from '../../domain/live-message.ts';
import { chunk } from '../../board/fan-out/chunk.ts';
import type { Frame, Viewer } from '../../board/fan-out/fan-out.ts';
import { type Desk, DeskUnavailableError } from '../flow/desk.ts';
import { ConnectionLimiter } from '../../board/http/connection-limiter.ts';
import { openEventStream } from '../../board/http/event-stream.ts';
import { sendProblem } from '../../board/http/problem.ts';
import { receivedAtMs } from '../../board/http/received-at.ts';
import { type PageHasSeen, passOnSeen } from '../../board/http/seen-timeline.ts';
import { eventOf, perEvent } from '../../board/http/served-event.ts';
import { servedDeskOf } from './served-desk.ts';
import { withinLimit } from './within-limit.ts';

/** The streams of an event: a control room and its phones. */
const MAX_DESKS = 100;

const RETRY_AFTER_S = 10;

/** A stream begins without its state if that takes longer, since proxies do not wait for long. */
const STATE_AWAITED_MS = 500;

/** A desk that accepts no byte for this long is cut. */
const BLOCKED_MS = 30_000;

/** `GET …/live` streams the desk's state each second, and each confirmed minute, as server-sent events. */
export function addDeskStream(app: FastifyInstance, pageHasSeen: PageHasSeen): void {
  const open = new Set<DeskBroadcast>();
  const streamsOf = perEvent((event) => {
    const broadcast = new DeskBroadcast(servedDeskOf(event).desk);
    open.add(broadcast);
    const end = (): void => {
      open.delete(broadcast);
      broadcast.close();
    };
    event.ended?.addEventListener('abort', end);
    if (event.ended?.aborted) end();
    return {
      broadcast,
      limiter: new ConnectionLimiter({ maxViewers: MAX_DESKS, maxViewersPerAddress: MAX_DESKS }),
    };
  });
  app.addHook('preClose', async () => {
    for (const broadcast of open) broadcast.close();
  });
  app.get('/live', async (request, reply) => {
    const event = eventOf(request);
    const { broadcast, limiter } = streamsOf(event);
    const acquired = limiter.acquire(request.ip);
    if (!acquired.ok) {
      if (acquired.shouldLog)
        request.log.warn({ address: request.ip }, 'desks are refused: too many streams');
      return sendProblem(reply.header('retry-after', RETRY_AFTER_S), 503, 'there are too many desks');
    }
    passOnSeen(request, pageHasSeen);
    // Build and state arrive together: the state of this second, or one that is read before the answer begins.
    const reading = broadcast.recentFrame ?? withinLimit(broadcast.stateFrame(), STATE_AWAITED_MS);
    const state = await Promise.resolve(reading).catch((error: unknown) => {
      // An edge that has just started has no state yet; it sends one as soon as it has.
      if (error instanceof DeskUnavailableError) return undefined;
      acquired.release();
      throw error;
    });
    const stream = openEventStream(reply);
    if (!stream) {
      acquired.release();
      return undefined;
    }
    const sentAtMs = Math.round(performance.now());
    const build = {
      event: 'build',
      sentAtMs,
      receivedAtMs: Math.floor(receivedAtMs(request.raw)),
      clock: event.readClock(),
      data: { id: event.otherPages?.buildId ?? '' },
    } as const;
    stream.send(chunk(encodeLiveMessage(build)));
    const leave = broadcast.join(stream, state);
    stream.begin(() => {
      leave();
      acquired.release();
    });
    return undefined;
  });
}

interface Subscriber {
  readonly viewer: Viewer;
  blockedSinceMs: number | undefined;
}

/**
 * Sends the same messages to every desk. A slow desk has no queue: it skips messages, then gets the next state. Nothing is
 * encoded while no desk is connected.
 */
class DeskBroadcast {
  readonly #desk: Desk;
  readonly #subscribers = new Set<Subscriber>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopMinutes: () => void;
  #isClosed = false;
  #lastAsked = 0;
  #last: { readonly frame: Frame; readonly atMs: number } | undefined;
  /** The number of the question whose answer the desks have. */
  #lastSent = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#timer = setInterval(() => void this.#tick(), DESK_INTERVAL_MS);
    this.#stopMinutes = desk.onMinute((minute) => {
      if (this.#subscribers.size === 0) return;
      this.#sendAll(chunk(encodeDeskMessage({ event: 'minute', data: minute })));
    });
  }

  /** The last state that was sent, unless the next one is due. */
  get recentFrame(): Frame | undefined {
    return this.#last && performance.now() - this.#last.atMs < DESK_INTERVAL_MS
      ? this.#last.frame
      : undefined;
  }

  /** Adds a viewer, which gets `state` at once, or the next one. Returns an idempotent function that removes it. */
  join(viewer: Viewer, state: Frame | undefined): () => void {
    if (this.#isClosed) {
      viewer.cut();
      return () => {};
    }
    const subscriber: Subscriber = { viewer, blockedSinceMs: undefined };
    this.#subscribers.add(subscriber);
    if (state) this.#send(subscriber, state);
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#stopMinutes();
    for (const { viewer } of this.#subscribers) viewer.cut();
    this.#subscribers.clear();
  }

  async stateFrame(): Promise<Frame> {
    const data = await this.#desk.state();
    const sentAtMs = Math.round(performance.now());
    return chunk(encodeDeskMessage({ event: 'desk', sentAtMs, data }));
  }

  /**
   * Asks for the state although the last one may not have come, which another process may delay: the first that comes is
   * sent, and none after a later one. A desk without messages marks its figures as old by itself.
   */
  async #tick(): Promise<void> {
    this.#evict();
    if (this.#subscribers.size === 0) return;
    this.#lastAsked += 1;
    const asked = this.#lastAsked;
    try {
      const frame = await this.stateFrame();
      if (asked < this.#lastSent) return;
      this.#lastSent = asked;
      this.#last = { frame, atMs: performance.now() };
      this.#sendAll(frame);
    } catch (error) {
      if (!(error instanceof DeskUnavailableError)) throw error;
    }
  }

  #sendAll(frame: Frame): void {
    for (const subscriber of this.#subscribers) this.#send(subscriber, frame);
  }

  #send(subscriber: Subscriber, frame: Frame): void {
    if (subscriber.blockedSinceMs !== undefined || subscriber.viewer.send(frame)) return;
    subscriber.blockedSinceMs = performance.now();
    subscriber.viewer.onDrain(() => (subscriber.blockedSinceMs = undefined));
  }

  /** Drops desks that no longer read, or whose session has ended. */
  #evict(): void {
    const nowMs = performance.now();
    for (const subscriber of this.#subscribers) {
      const { viewer, blockedSinceMs } = subscriber;
      if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > BLOCKED_MS) viewer.cut();
      else if (nowMs > viewer.expiresAtMs) viewer.end();
      else continue;
      this.#subscribers.delete(subscriber);
    }
  }
}

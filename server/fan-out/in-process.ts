import { performance } from 'node:perf_hooks';
import type { CountsPart, EventStatePart, Freshness, Row, SectorDocument } from '../../domain/event-state.ts';
import {
  countsMessage,
  encodeLiveMessage,
  HEARTBEAT_INTERVAL_MS,
  type LiveMessage,
  sourceState,
  type VenueClock,
} from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import { chunk } from './chunk.ts';
import type { FanOut, Frame, Viewer } from './fan-out.ts';
import { FramePacing } from './frame-pacing.ts';

const HOUSEKEEPING_INTERVAL_MS = 1_000;

/** The messages that a viewer follows. Of each, only the newest is worth sending. */
type StateMessage = 'counts' | 'source' | 'sectors';

/** Counts before their source: whoever reads that they are live has them already. */
const ORDER: readonly StateMessage[] = ['counts', 'source', 'sectors'];

export interface FanOutLimits {
  readonly heartbeatMs: number;
  /** A viewer that takes no byte for so long is cut. */
  readonly blockedMs: number;
}

export interface FanOutOptions {
  /** What viewers are told the counts of. */
  readonly rows: readonly Row[];
  readonly readClock: () => VenueClock;
  readonly limits?: Partial<FanOutLimits> | undefined;
}

interface Subscriber {
  readonly viewer: Viewer;
  /** What changed while the viewer could take no more. */
  readonly missed: Set<StateMessage>;
  blockedSinceMs: number | undefined;
}

/**
 * Sends to the viewers of this process: at once at the pace of a match, paced under more load (frame-pacing.ts). A viewer
 * that does not keep up has no queue: it skips, then gets the newest state.
 */
export class InProcessFanOut implements FanOut {
  #counts: CountsPart | undefined;
  #documents: readonly SectorDocument[] | undefined;
  #freshness: Freshness | undefined;
  readonly #pending = new Set<StateMessage>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #rows: readonly Row[];
  readonly #readClock: () => VenueClock;
  readonly #limits: FanOutLimits;
  readonly #timers: NodeJS.Timeout[];
  #frameTimer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  readonly #pacing = new FramePacing();
  #closed = false;
  #framesSent = 0;

  constructor({ rows, readClock, limits = {} }: FanOutOptions) {
    this.#rows = rows;
    this.#readClock = readClock;
    this.#limits = { heartbeatMs: HEARTBEAT_INTERVAL_MS, blockedMs: 30_000, ...limits };
    this.#timers = [
      setInterval(() => this.#heartbeat(), this.#limits.heartbeatMs),
      setInterval(() => this.#evict(), HOUSEKEEPING_INTERVAL_MS),
    ];
  }

  /** How many viewers there are. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** How many frames have been written to viewers' sockets, heartbeats included. */
  get framesSent(): number {
    return this.#framesSent;
  }

  publish(part: EventStatePart): void {
    if (part.part === 'documents') {
      this.#documents = part.documents;
      this.#schedule('sectors');
      return;
    }
    if (this.#counts && isEarlier(part.position, this.#counts.position)) return;
    this.#counts = part;
    this.#schedule('counts');
  }

  publishFreshness(freshness: Freshness): void {
    this.#freshness = freshness;
    this.#schedule('source');
  }

  join(viewer: Viewer): () => void {
    const subscriber: Subscriber = { viewer, missed: new Set(), blockedSinceMs: undefined };
    this.#subscribers.add(subscriber);
    this.#send(subscriber, this.#frame(ORDER), ORDER);
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#frameTimer as NodeJS.Timeout);
    clearImmediate(this.#frameTimer as NodeJS.Immediate);
    for (const timer of this.#timers) clearInterval(timer);
    for (const { viewer } of this.#subscribers) viewer.end();
    this.#subscribers.clear();
  }

  #schedule(kind: StateMessage): void {
    this.#pending.add(kind);
    if (this.#frameTimer !== undefined || this.#closed) return;
    const waitMs = this.#pacing.waitMs(performance.now());
    // Even at once means after the events at hand: of a burst in one read, only the newest is sent.
    this.#frameTimer = waitMs > 0 ? setTimeout(this.#flush, waitMs) : setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#frameTimer = undefined;
    const startMs = performance.now();
    const kinds = [...this.#pending];
    this.#pending.clear();
    const frame = this.#frame(kinds);
    this.#sendToAll(frame, kinds);
    this.#pacing.sent({ startMs, endMs: performance.now(), bytes: frame.length });
  };

  #sendToAll(frame: Frame, kinds: readonly StateMessage[]): void {
    for (const subscriber of this.#subscribers) this.#send(subscriber, frame, kinds);
  }

  #send(subscriber: Subscriber, frame: Frame, kinds: readonly StateMessage[]): void {
    if (subscriber.blockedSinceMs !== undefined) {
      for (const kind of kinds) subscriber.missed.add(kind);
      return;
    }
    if (frame.length === 0) return;
    this.#framesSent += 1;
    if (subscriber.viewer.send(frame)) return;
    subscriber.blockedSinceMs = performance.now();
    subscriber.viewer.onDrain(() => {
      subscriber.blockedSinceMs = undefined;
      const missed = [...subscriber.missed];
      subscriber.missed.clear();
      if (this.#subscribers.has(subscriber)) this.#send(subscriber, this.#frame(missed), missed);
    });
  }

  /** The newest state of these kinds, as one chunk; empty when there is none. */
  #frame(kinds: readonly StateMessage[]): Frame {
    const texts = ORDER.filter((kind) => kinds.includes(kind)).map((kind) => {
      const message = this.#message(kind);
      return message ? encodeLiveMessage(message) : '';
    });
    return chunk(texts.join(''));
  }

  #message(kind: StateMessage): LiveMessage | undefined {
    const nowMs = performance.now();
    const messages: Record<StateMessage, () => LiveMessage | undefined> = {
      counts: () => this.#counts && countsMessage(this.#counts, this.#rows, Math.round(nowMs)),
      source: () => this.#freshness && { event: 'source', data: sourceState(this.#freshness, nowMs) },
      sectors: () => this.#documents && { event: 'sectors', data: this.#documents },
    };
    return messages[kind]();
  }

  #heartbeat(): void {
    const sentAtMs = Math.round(performance.now());
    const clock = this.#readClock();
    this.#sendToAll(chunk(encodeLiveMessage({ event: 'heartbeat', sentAtMs, clock })), []);
  }

  /** Drops viewers that read no more, and those whose session has ended: they sign in anew. */
  #evict(): void {
    const nowMs = performance.now();
    for (const subscriber of this.#subscribers) {
      const { viewer, blockedSinceMs } = subscriber;
      if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > this.#limits.blockedMs) viewer.cut();
      else if (nowMs > viewer.expiresAtMs) viewer.end();
      else continue;
      this.#subscribers.delete(subscriber);
    }
  }
}

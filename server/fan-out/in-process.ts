import { performance } from 'node:perf_hooks';
import {
  encodeLiveMessage,
  HEARTBEAT_INTERVAL_MS,
  type LiveMessage,
  type VenueClock,
} from '../../domain/live-message.ts';
import { chunk } from './chunk.ts';
import type { FanOut, Frame, StateKind, Viewer } from './fan-out.ts';

const MIN_FRAME_INTERVAL_MS = 16;
const MAX_FRAME_INTERVAL_MS = 100;
const HOUSEKEEPING_INTERVAL_MS = 1_000;

/** Counts before their source: whoever reads that they are live has them already. */
const ORDER: readonly StateKind[] = ['counts', 'source', 'sectors'];

export interface FanOutLimits {
  readonly heartbeatMs: number;
  /** A viewer that takes no byte for so long is cut. */
  readonly blockedMs: number;
}

interface Place {
  readonly viewer: Viewer;
  /** Kinds that changed while the viewer could take no more. */
  readonly missed: Set<StateKind>;
  blockedSinceMs: number | undefined;
}

/**
 * Sends to the viewers of this process. The first change after quiet goes out at once; under load a frame
 * leaves 16 ms after the last one, or when twice the time has gone by that the last one took to send, so that half
 * the time stays for everything else; but every 100 ms if that can be. A viewer that does not keep up has no queue: it
 * skips, then gets the newest state.
 */
export class InProcessFanOut implements FanOut {
  readonly #states = new Map<StateKind, () => LiveMessage>();
  readonly #pending = new Set<StateKind>();
  readonly #places = new Set<Place>();
  readonly #readClock: () => VenueClock;
  readonly #limits: FanOutLimits;
  readonly #timers: NodeJS.Timeout[];
  #frameTimer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #nextFrameMs = -Infinity;
  #closed = false;
  #framesSent = 0;

  constructor(readClock: () => VenueClock, limits: Partial<FanOutLimits> = {}) {
    this.#readClock = readClock;
    this.#limits = { heartbeatMs: HEARTBEAT_INTERVAL_MS, blockedMs: 30_000, ...limits };
    this.#timers = [
      setInterval(() => this.#heartbeat(), this.#limits.heartbeatMs),
      setInterval(() => this.#tidy(), HOUSEKEEPING_INTERVAL_MS),
    ];
  }

  /** How many viewers there are. */
  get size(): number {
    return this.#places.size;
  }

  /** How many frames have been written to viewers' sockets, heartbeats included. */
  get framesSent(): number {
    return this.#framesSent;
  }

  publish(kind: StateKind, message: () => LiveMessage): void {
    this.#states.set(kind, message);
    this.#pending.add(kind);
    if (this.#frameTimer !== undefined || this.#closed) return;
    const waitMs = this.#nextFrameMs - performance.now();
    // Even at once means after the events at hand: of a burst in one read, only the newest is sent.
    this.#frameTimer = waitMs > 0 ? setTimeout(this.#flush, waitMs) : setImmediate(this.#flush);
  }

  join(viewer: Viewer): () => void {
    const place: Place = { viewer, missed: new Set(), blockedSinceMs: undefined };
    this.#places.add(place);
    this.#send(place, this.#frame(ORDER), ORDER);
    return () => void this.#places.delete(place);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#frameTimer as NodeJS.Timeout);
    clearImmediate(this.#frameTimer as NodeJS.Immediate);
    for (const timer of this.#timers) clearInterval(timer);
    for (const { viewer } of this.#places) viewer.end();
    this.#places.clear();
  }

  readonly #flush = (): void => {
    this.#frameTimer = undefined;
    const startMs = performance.now();
    const kinds = [...this.#pending];
    this.#pending.clear();
    this.#sendToAll(this.#frame(kinds), kinds);
    const endMs = performance.now();
    const intervalMs = Math.min(2 * (endMs - startMs), MAX_FRAME_INTERVAL_MS);
    // Even where a frame takes all of its interval, something is left for everything else.
    this.#nextFrameMs = Math.max(startMs + intervalMs, endMs + MIN_FRAME_INTERVAL_MS);
  };

  #sendToAll(frame: Frame, kinds: readonly StateKind[]): void {
    for (const place of this.#places) this.#send(place, frame, kinds);
  }

  #send(place: Place, frame: Frame, kinds: readonly StateKind[]): void {
    if (place.blockedSinceMs !== undefined) {
      for (const kind of kinds) place.missed.add(kind);
      return;
    }
    if (frame.length === 0) return;
    this.#framesSent += 1;
    if (place.viewer.send(frame)) return;
    place.blockedSinceMs = performance.now();
    place.viewer.onDrain(() => {
      place.blockedSinceMs = undefined;
      const missed = [...place.missed];
      place.missed.clear();
      if (this.#places.has(place)) this.#send(place, this.#frame(missed), missed);
    });
  }

  /** The newest state of these kinds, as one chunk; empty when there is none. */
  #frame(kinds: readonly StateKind[]): Frame {
    const texts = ORDER.filter((kind) => kinds.includes(kind)).map((kind) => {
      const message = this.#states.get(kind);
      return message ? encodeLiveMessage(message()) : '';
    });
    return chunk(texts.join(''));
  }

  #heartbeat(): void {
    const sentAtMs = Math.round(performance.now());
    const clock = this.#readClock();
    this.#sendToAll(chunk(encodeLiveMessage({ event: 'heartbeat', sentAtMs, clock })), []);
  }

  /** Drops viewers that read no more, and those whose session has ended: they sign in anew. */
  #tidy(): void {
    const nowMs = performance.now();
    for (const place of this.#places) {
      const { viewer, blockedSinceMs } = place;
      if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > this.#limits.blockedMs) viewer.cut();
      else if (nowMs > viewer.expiresAtMs) viewer.end();
      else continue;
      this.#places.delete(place);
    }
  }
}

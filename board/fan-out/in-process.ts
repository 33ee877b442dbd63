import { performance } from 'node:perf_hooks';
import { HEARTBEAT_INTERVAL_MS } from '../../domain/freshness.ts';
import {
  type CountsSlice,
  type EventStateSlice,
  type Freshness,
  type IncompleteCount,
  placeOf,
  type Row,
  type SectorDocument,
} from '../../domain/event-state.ts';
import {
  countsMessage,
  encodeLiveMessage,
  incompleteMessage,
  type LiveMessage,
  sourceState,
  type VenueClock,
} from '../../domain/live-message.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { chunk } from './chunk.ts';
import type { FanOut, Frame, Viewer } from './fan-out.ts';
import { FramePacing } from './frame-pacing.ts';

const HOUSEKEEPING_INTERVAL_MS = 1_000;

/** How long viewers are written to before other ready work has its turn. */
const SLICE_MS = 10;
/** Reading the clock takes a fiftieth of a write: it is read once in this many writes. */
const CLOCK_EVERY = 16;

/**
 * The order of messages: a viewer that reads that counts are live has them and their incompleteness already. Only the newest
 * message of each kind is sent.
 */
const ORDER = ['incomplete', 'counts', 'source', 'sectors', 'heartbeat'] as const;
type Kind = (typeof ORDER)[number];

export interface FanOutLimits {
  readonly heartbeatMs: number;
  /** A viewer that takes no byte for this long is cut. */
  readonly blockedMs: number;
}

export interface FanOutOptions {
  /** The rows whose counts viewers receive. */
  readonly rows: readonly Row[];
  /** Whether viewers receive an evacuation: their venue has a text for it. */
  readonly showsEvacuation?: boolean;
  readonly readClock: () => VenueClock;
  readonly limits?: Partial<FanOutLimits> | undefined;
}

/** Returns what the viewers of a venue receive; `undefined`: the default one. */
export function shownBy({ sectors, evacuation }: Venue = DEFAULT_VENUE): Pick<
  FanOutOptions,
  'rows' | 'showsEvacuation'
> {
  return { rows: sectors, showsEvacuation: evacuation !== undefined };
}

interface Subscriber {
  readonly viewer: Viewer;
  /** The number of the last change before its newest frame. */
  sentUpTo: number;
  blockedSinceMs: number | undefined;
}

/**
 * Sends to the viewers of this process: at once at the pace of a match, paced under more load (frame-pacing.ts). It goes
 * round them until each has the newest state. What changes meanwhile is what those still to come are sent, and the round
 * goes on to those before them: nobody waits for a round to end. A viewer that does not keep up has no queue: it skips,
 * then gets the newest state.
 */
export class InProcessFanOut implements FanOut {
  #counts: CountsSlice | undefined;
  #documents: readonly SectorDocument[] | undefined;
  /** `undefined`: there is no desk. */
  #incomplete: readonly IncompleteCount[] | undefined;
  #evacuatedAtMs: number | null = null;
  #freshness: Freshness | undefined;
  /** The number of the last change of each kind; changes are numbered from 1. */
  #lastChange = 0;
  readonly #changedAt: Record<Kind, number> = {
    incomplete: 0,
    counts: 0,
    source: 0,
    sectors: 0,
    heartbeat: 0,
  };
  readonly #subscribers = new Set<Subscriber>();
  /** Where the round stands, and how many from there on may lack something. */
  #round = this.#subscribers.values();
  #toVisit = 0;
  readonly #rows: readonly Row[];
  readonly #showsEvacuation: boolean;
  readonly #readClock: () => VenueClock;
  readonly #limits: FanOutLimits;
  readonly #timers: NodeJS.Timeout[];
  #sliceTimer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  readonly #pacing = new FramePacing();
  #closed = false;
  #framesSent = 0;

  constructor({ rows, readClock, showsEvacuation = false, limits = {} }: FanOutOptions) {
    this.#rows = rows;
    this.#showsEvacuation = showsEvacuation;
    this.#readClock = readClock;
    this.#limits = { heartbeatMs: HEARTBEAT_INTERVAL_MS, blockedMs: 30_000, ...limits };
    this.#timers = [
      setInterval(() => this.#changed('heartbeat'), this.#limits.heartbeatMs),
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

  get validTickets(): number | undefined {
    return this.#freshness?.live ? this.#counts?.valid : undefined;
  }

  publish(slice: EventStateSlice): void {
    if (slice.kind === 'documents') {
      this.#documents = slice.documents;
      this.#changed('sectors');
      return;
    }
    if (slice.kind === 'incomplete') {
      const evacuatedAtMs = this.#showsEvacuation ? (slice.evacuatedAtMs ?? null) : null;
      const incomplete = slice.incomplete.map((each) => Object.assign({}, each, { row: this.#rowOf(each) }));
      const before = JSON.stringify([this.#incomplete, this.#evacuatedAtMs]);
      [this.#incomplete, this.#evacuatedAtMs] = [incomplete, evacuatedAtMs];
      if (JSON.stringify([incomplete, evacuatedAtMs]) !== before) this.#changed('incomplete');
      return;
    }
    // Pages do not receive metadata.
    if (slice.kind === 'details') return;
    this.#counts = slice;
    this.#changed('counts');
  }

  /** A counter may have rows by other names, or rows that are not shown here: then nothing may look complete. */
  #rowOf({ row }: IncompleteCount): string | null {
    if (row === null || row === '') return row;
    return this.#rows[placeOf(row, this.#rows)]?.code ?? null;
  }

  publishFreshness(freshness: Freshness): void {
    this.#freshness = freshness;
    this.#changed('source');
  }

  join(viewer: Viewer): () => void {
    // What begins every stream has a heartbeat's time.
    const subscriber: Subscriber = { viewer, sentUpTo: 0, blockedSinceMs: undefined };
    if (this.#closed) {
      viewer.end();
      return () => {};
    }
    this.#subscribers.add(subscriber);
    if (this.#toVisit > 0) this.#toVisit += 1;
    this.#send(subscriber, this.#frame(ORDER.filter((kind) => kind !== 'heartbeat')));
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#sliceTimer as NodeJS.Timeout);
    clearImmediate(this.#sliceTimer as NodeJS.Immediate);
    for (const timer of this.#timers) clearInterval(timer);
    for (const { viewer } of this.#subscribers) viewer.end();
    this.#subscribers.clear();
  }

  #changed(kind: Kind): void {
    this.#lastChange += 1;
    this.#changedAt[kind] = this.#lastChange;
    this.#toVisit = this.#subscribers.size;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#sliceTimer !== undefined || this.#toVisit === 0 || this.#closed) return;
    const waitMs = this.#pacing.waitMs(performance.now());
    // "At once" is after the events at hand: only the newest state of a burst is sent.
    this.#sliceTimer = waitMs > 0 ? setTimeout(this.#sendSlice, waitMs) : setImmediate(this.#sendSlice);
  }

  /** Continues the round for a while. */
  readonly #sendSlice = (): void => {
    this.#sliceTimer = undefined;
    const startMs = performance.now();
    // Each frame is encoded once. Most viewers lack what the one before lacked: theirs is at hand.
    const frames = new Map<number, Frame>();
    let [frame, frameSince]: [Frame | undefined, number] = [undefined, NaN];
    const viewers = this.#subscribers.size;
    this.#toVisit = Math.min(this.#toVisit, viewers);
    let [visited, bytes] = [0, 0];
    while (this.#toVisit > 0) {
      if (visited > 0 && visited % CLOCK_EVERY === 0 && performance.now() - startMs >= SLICE_MS) break;
      this.#toVisit -= 1;
      visited += 1;
      const subscriber = this.#nextInRound();
      if (!subscriber || subscriber.blockedSinceMs !== undefined) continue;
      const { sentUpTo } = subscriber;
      if (!frame || sentUpTo !== frameSince) {
        frame = frames.get(sentUpTo) ?? this.#frame(this.#changedSince(sentUpTo));
        frameSince = sentUpTo;
        frames.set(sentUpTo, frame);
      }
      bytes += frame.length;
      this.#send(subscriber, frame);
    }
    if (visited === 0) return;
    this.#pacing.sent({
      startMs,
      endMs: performance.now(),
      share: visited / viewers,
      bytes: bytes / viewers,
    });
    this.#schedule();
  };

  #nextInRound(): Subscriber | undefined {
    const next = this.#round.next();
    if (!next.done) return next.value;
    this.#round = this.#subscribers.values();
    return this.#round.next().value;
  }

  #changedSince(change: number): readonly Kind[] {
    return ORDER.filter((kind) => this.#changedAt[kind] > change);
  }

  /** `frame`: all that it lacks. */
  #send(subscriber: Subscriber, frame: Frame): void {
    subscriber.sentUpTo = this.#lastChange;
    if (frame.length === 0) return;
    this.#framesSent += 1;
    if (subscriber.viewer.send(frame)) return;
    subscriber.blockedSinceMs = performance.now();
    subscriber.viewer.onDrain(() => {
      subscriber.blockedSinceMs = undefined;
      if (this.#subscribers.has(subscriber))
        this.#send(subscriber, this.#frame(this.#changedSince(subscriber.sentUpTo)));
    });
  }

  /** The newest state of these kinds, as one chunk; empty when there is none. */
  #frame(kinds: readonly Kind[]): Frame {
    const messages = kinds.map((kind) => this.#message(kind));
    return chunk(messages.map((message) => (message ? encodeLiveMessage(message) : '')).join(''));
  }

  #message(kind: Kind): LiveMessage | undefined {
    const nowMs = performance.now();
    const sentAtMs = Math.round(nowMs);
    const messages: Record<Kind, () => LiveMessage | undefined> = {
      incomplete: () =>
        this.#incomplete && incompleteMessage(this.#incomplete, this.#readClock(), this.#evacuatedAtMs),
      counts: () => this.#counts && countsMessage(this.#counts, this.#rows, sentAtMs),
      source: () =>
        this.#freshness && { event: 'source', sentAtMs, data: sourceState(this.#freshness, nowMs) },
      sectors: () => this.#documents && { event: 'sectors', data: this.#documents },
      heartbeat: () => ({ event: 'heartbeat', sentAtMs, clock: this.#readClock() }),
    };
    return messages[kind]();
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

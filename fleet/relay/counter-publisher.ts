import { performance } from 'node:perf_hooks';
import type { CountsSlice, DocumentsSlice, EventStateSlice } from '../../domain/event-state.ts';
import { PUBLISH_EVERY_MS } from '../../domain/freshness.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { RateLimit } from './rate-limit.ts';
import { type OtherSlices, StateSender, type StateSenderOptions, type Versioned } from './state-sender.ts';
import { digestOf, NO_DOCUMENTS, type OtherSlice } from './wire.ts';

export interface CounterPublisherOptions extends StateSenderOptions {
  /** The position that has been counted up to; `undefined` before the first snapshot. */
  readonly position: () => LogPosition | undefined;
  /** Whether this counter counts this event. Only then do no counts mean zero tickets. */
  readonly counts: (eventId: string) => boolean;
}

const CHECK_EVERY_MS = 50;
/** The bytes of one event: a match publishes each commit at once, a bulk load some of its states only. */
const EVENT_RATE = { perSecond: 1_000_000, burst: 200_000 };
/** The bytes of all events together. */
const RATE = { perSecond: 16_000_000, burst: 8_000_000 };
/** States of events without tickets, which are published because an edge asks. */
const ASKED_RATE = { perSecond: 1_000, burst: 1_000 };
/** Slices and counts are republished for edges at most this often. */
const SLICES_EVERY_MS = 1_000;
const COUNTS_EVERY_MS = 50;

interface Published {
  counts: CountsSlice | undefined;
  readonly others: OtherSlices;
  publishedAtMs: number;
  slicesPublishedAtMs: number;
  readonly limit: RateLimit;
}

/**
 * Publishes each event's counts after every commit, at most once a turn of the event loop, and again every second; the other
 * slices when they change, and when an edge asks. Nothing is queued: what cannot be sent now is published again later.
 */
export class CounterPublisher {
  readonly #options: CounterPublisherOptions;
  readonly #events = new Map<string, Published>();
  /** Events whose counts have changed since they were published, in this order. */
  readonly #changed = new Set<string>();
  /** All events with counts, in the order in which they were last published. */
  readonly #published = new Set<string>();
  readonly #limit = new RateLimit(RATE);
  readonly #askedLimit = new RateLimit(ASKED_RATE);
  readonly #sender: StateSender;
  readonly #timer: NodeJS.Timeout;
  #sending: NodeJS.Immediate | NodeJS.Timeout | undefined;

  constructor(options: CounterPublisherOptions) {
    this.#options = options;
    this.#sender = new StateSender(options);
    this.#timer = setInterval(() => this.#publishPeriodically(), CHECK_EVERY_MS);
  }

  get statesPublished(): number {
    return this.#sender.sent;
  }

  /** How many events have counts. */
  get events(): number {
    return this.#published.size;
  }

  slice(slice: EventStateSlice): void {
    if (!this.#options.counts(slice.eventId)) return;
    const event = this.#event(slice.eventId);
    if (slice.kind === 'counts') {
      event.counts = slice;
      this.#published.add(slice.eventId);
      this.#changed.add(slice.eventId);
      this.#sending ??= setImmediate(this.#publishChanged);
      return;
    }
    const versioned = { state: slice, digest: digestOf(contentOf(slice)) };
    event.others[slice.kind] = versioned;
    this.#publishSlice(versioned);
  }

  /** Publishes the state of this event for an edge that lacks it, unless it has just been published. */
  republish(eventId: string): void {
    if (!this.#options.counts(eventId)) return;
    const nowMs = performance.now();
    const event = this.#events.get(eventId);
    if (event?.counts) {
      if (nowMs - event.publishedAtMs >= COUNTS_EVERY_MS) {
        this.#changed.add(eventId);
        this.#sending ??= setImmediate(this.#publishChanged);
      }
    } else this.#publishNoTickets(eventId, nowMs);
    const position = this.#options.position();
    if (!event || !position || nowMs - event.slicesPublishedAtMs < SLICES_EVERY_MS) return;
    event.slicesPublishedAtMs = nowMs;
    if (this.#limit.waitMs(nowMs) > 0) return;
    const { documents = this.#noDocuments(eventId, position), details, incomplete } = event.others;
    for (const slice of [documents, details, incomplete]) {
      if (slice) this.#publishSlice(slice);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#sending as NodeJS.Immediate);
    clearTimeout(this.#sending as NodeJS.Timeout);
    this.#sending = undefined;
  }

  #event(eventId: string): Published {
    let event = this.#events.get(eventId);
    if (!event) {
      const never = { publishedAtMs: -Infinity, slicesPublishedAtMs: -Infinity };
      event = { counts: undefined, others: {}, ...never, limit: new RateLimit(EVENT_RATE) };
      this.#events.set(eventId, event);
    }
    return event;
  }

  readonly #publishChanged = (): void => {
    this.#sending = undefined;
    const nowMs = performance.now();
    let waitMs = this.#limit.waitMs(nowMs);
    if (waitMs === 0) {
      let soonest = Infinity;
      for (const eventId of this.#changed) {
        const event = this.#event(eventId);
        const eventWaitMs = event.limit.waitMs(nowMs);
        if (eventWaitMs === 0) this.#publishCounts(eventId, event, nowMs);
        else soonest = Math.min(soonest, eventWaitMs);
        waitMs = this.#limit.waitMs(nowMs);
        if (waitMs > 0) break;
      }
      waitMs ||= soonest;
    }
    if (this.#changed.size > 0) this.#sending = setTimeout(this.#publishChanged, waitMs);
  };

  #publishPeriodically(): void {
    const nowMs = performance.now();
    for (const eventId of this.#published) {
      const event = this.#event(eventId);
      // The events behind this one were published later.
      if (nowMs - event.publishedAtMs < PUBLISH_EVERY_MS - CHECK_EVERY_MS || this.#limit.waitMs(nowMs) > 0)
        return;
      this.#publishCounts(eventId, event, nowMs);
    }
  }

  #publishCounts(eventId: string, event: Published, nowMs: number): void {
    const { counts } = event;
    this.#changed.delete(eventId);
    this.#published.delete(eventId);
    if (!counts) return;
    this.#published.add(eventId);
    event.publishedAtMs = nowMs;
    const bytes = this.#sender.sendCounts(counts, event.others);
    event.limit.take(nowMs, bytes);
    this.#limit.take(nowMs, bytes);
  }

  #publishSlice(slice: Versioned<OtherSlice>): void {
    this.#limit.take(performance.now(), this.#sender.sendSlice(slice));
  }

  /** Publishes zeros for an event without tickets. No state is kept for it: its edges ask again. */
  #publishNoTickets(eventId: string, nowMs: number): void {
    const position = this.#options.position();
    if (!position || !this.#askedLimit.take(nowMs)) return;
    const none = { tickets: 0, admitted: 0, valid: 0 };
    const counts: CountsSlice = {
      kind: 'counts',
      eventId,
      epoch: 'none',
      version: 0,
      position,
      ...none,
      codes: [],
      rest: none,
    };
    this.#sender.sendCounts(counts, this.#events.get(eventId)?.others);
  }

  #noDocuments(eventId: string, position: LogPosition): Versioned<DocumentsSlice> {
    return { state: { kind: 'documents', eventId, position, documents: [] }, digest: NO_DOCUMENTS };
  }
}

/** Returns the content that the digest of a slice covers. Without an evacuation it equals that of versions without evacuations. */
function contentOf(slice: OtherSlice): unknown {
  if (slice.kind === 'documents') return slice.documents;
  if (slice.kind === 'details') return slice.details ?? null;
  return slice.evacuatedAtMs ? [slice.incomplete, slice.evacuatedAtMs] : slice.incomplete;
}

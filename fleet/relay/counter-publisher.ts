import { performance } from 'node:perf_hooks';
import {
  type CountsPart,
  type DetailsPart,
  type DocumentsPart,
  type EventStatePart,
  type IncompletePart,
} from '../../domain/event-state.ts';
import { PUBLISH_EVERY_MS } from '../../domain/freshness.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { RateLimit } from './rate-limit.ts';
import { StateSender, type StateSenderOptions, type Versioned } from './state-sender.ts';
import { digestOf, NO_DOCUMENTS, type OtherPart } from './wire.ts';

export interface CounterPublisherOptions extends StateSenderOptions {
  /** How far has been counted; `undefined` before the first snapshot. */
  readonly position: () => LogPosition | undefined;
  /** Whether this counter knows all of this event: of another one, no counts at all are no zero. */
  readonly counts: (eventId: string) => boolean;
}

const LOOK_EVERY_MS = 50;
/** Of one event: at the pace of a match each commit is said at once; of a bulk, only some states on the way. */
const EVENT_RATE = { perSecond: 1_000_000, burst: 200_000 };
/** Of all events together, in bytes. */
const RATE = { perSecond: 16_000_000, burst: 8_000_000 };
/** States without a ticket, which are said because an edge asks. */
const ASKED_RATE = { perSecond: 1_000, burst: 1_000 };
/** Who asks for parts that have just been said has missed them: so long they are not said again. */
const PARTS_EVERY_MS = 1_000;
const COUNTS_EVERY_MS = 50;

interface Published {
  counts: CountsPart | undefined;
  documents: Versioned<DocumentsPart> | undefined;
  details: Versioned<DetailsPart> | undefined;
  incomplete: Versioned<IncompletePart> | undefined;
  saidAtMs: number;
  partsSaidAtMs: number;
  readonly limit: RateLimit;
}

/**
 * Says what is counted: each event's counts at every commit, once a turn of the event loop, and again every second; the
 * other parts when they change, and when an edge asks. Nothing waits for anybody: what cannot be sent is said again.
 */
export class CounterPublisher {
  readonly #options: CounterPublisherOptions;
  readonly #events = new Map<string, Published>();
  /** Events whose counts have changed since they were said, in this order. */
  readonly #changed = new Set<string>();
  /** All events with counts, in the order in which they were said last. */
  readonly #said = new Set<string>();
  readonly #limit = new RateLimit(RATE);
  readonly #askedLimit = new RateLimit(ASKED_RATE);
  readonly #sender: StateSender;
  readonly #timer: NodeJS.Timeout;
  #sending: NodeJS.Immediate | NodeJS.Timeout | undefined;

  constructor(options: CounterPublisherOptions) {
    this.#options = options;
    this.#sender = new StateSender(options);
    this.#timer = setInterval(() => this.#saySecondly(), LOOK_EVERY_MS);
  }

  get statesPublished(): number {
    return this.#sender.sent;
  }

  /** How many events have counts. */
  get events(): number {
    return this.#said.size;
  }

  part(part: EventStatePart): void {
    if (!this.#options.counts(part.eventId)) return;
    const event = this.#event(part.eventId);
    switch (part.part) {
      case 'counts':
        event.counts = part;
        this.#said.add(part.eventId);
        this.#changed.add(part.eventId);
        this.#sending ??= setImmediate(this.#sayChanged);
        break;
      case 'documents':
        event.documents = { state: part, digest: digestOf(part.documents) };
        this.#sayPart(event.documents);
        break;
      case 'details':
        event.details = { state: part, digest: digestOf(part.details ?? null) };
        this.#sayPart(event.details);
        break;
      case 'incomplete':
        // Without an evacuation as in versions that know of none.
        event.incomplete = {
          state: part,
          digest: digestOf(part.evacuatedAtMs ? [part.incomplete, part.evacuatedAtMs] : part.incomplete),
        };
        this.#sayPart(event.incomplete);
        break;
    }
  }

  /** An edge lacks the state of this event: what has not just been said is said. */
  sayAgain(eventId: string): void {
    if (!this.#options.counts(eventId)) return;
    const nowMs = performance.now();
    const event = this.#events.get(eventId);
    if (event?.counts) {
      if (nowMs - event.saidAtMs >= COUNTS_EVERY_MS) {
        this.#changed.add(eventId);
        this.#sending ??= setImmediate(this.#sayChanged);
      }
    } else this.#sayNoTicket(eventId, nowMs);
    const position = this.#options.position();
    if (!event || !position || nowMs - event.partsSaidAtMs < PARTS_EVERY_MS) return;
    event.partsSaidAtMs = nowMs;
    if (this.#limit.waitMs(nowMs) > 0) return;
    const documents = event.documents ?? this.#noDocuments(eventId, position);
    for (const said of [documents, event.details, event.incomplete]) {
      if (said) this.#sayPart(said);
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
      const limit = new RateLimit(EVENT_RATE);
      const never = { saidAtMs: -Infinity, partsSaidAtMs: -Infinity };
      const nothing = { counts: undefined, documents: undefined, details: undefined, incomplete: undefined };
      event = { ...nothing, ...never, limit };
      this.#events.set(eventId, event);
    }
    return event;
  }

  readonly #sayChanged = (): void => {
    this.#sending = undefined;
    const nowMs = performance.now();
    let waitMs = this.#limit.waitMs(nowMs);
    if (waitMs === 0) {
      let soonest = Infinity;
      for (const eventId of this.#changed) {
        const event = this.#event(eventId);
        const eventWaitMs = event.limit.waitMs(nowMs);
        if (eventWaitMs === 0) this.#sayCounts(eventId, event, nowMs);
        else soonest = Math.min(soonest, eventWaitMs);
        waitMs = this.#limit.waitMs(nowMs);
        if (waitMs > 0) break;
      }
      waitMs ||= soonest;
    }
    if (this.#changed.size > 0) this.#sending = setTimeout(this.#sayChanged, waitMs);
  };

  #saySecondly(): void {
    const nowMs = performance.now();
    for (const eventId of this.#said) {
      const event = this.#event(eventId);
      // Those behind it were said later.
      if (nowMs - event.saidAtMs < PUBLISH_EVERY_MS - LOOK_EVERY_MS || this.#limit.waitMs(nowMs) > 0) return;
      this.#sayCounts(eventId, event, nowMs);
    }
  }

  #sayCounts(eventId: string, event: Published, nowMs: number): void {
    const { counts } = event;
    this.#changed.delete(eventId);
    this.#said.delete(eventId);
    if (!counts) return;
    this.#said.add(eventId);
    event.saidAtMs = nowMs;
    const bytes = this.#sender.sendCounts(counts, event);
    event.limit.take(nowMs, bytes);
    this.#limit.take(nowMs, bytes);
  }

  #sayPart(said: Versioned<OtherPart>): void {
    this.#limit.take(performance.now(), this.#sender.sendPart(said));
  }

  /** Nothing is kept of an event that has no ticket: whoever shows it asks again. */
  #sayNoTicket(eventId: string, nowMs: number): void {
    const position = this.#options.position();
    if (!position || !this.#askedLimit.take(nowMs)) return;
    const none = { tickets: 0, admitted: 0, valid: 0 };
    const counts: CountsPart = {
      part: 'counts',
      eventId,
      epoch: 'none',
      version: 0,
      position,
      ...none,
      codes: [],
      rest: none,
    };
    this.#sender.sendCounts(counts, this.#events.get(eventId));
  }

  #noDocuments(eventId: string, position: LogPosition): Versioned<DocumentsPart> {
    return { state: { part: 'documents', eventId, position, documents: [] }, digest: NO_DOCUMENTS };
  }
}

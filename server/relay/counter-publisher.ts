import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import {
  type CountsPart,
  type DetailsPart,
  type DocumentsPart,
  type EventStatePart,
  type Freshness,
} from '../../domain/event-state.ts';
import { isEventId } from '../../domain/event.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { EventStateObserver } from '../counting/event-state-observer.ts';
import { checkAsk, RefusedMessage } from './decode.ts';
import { encodeAnswer, encodeState } from './encode.ts';
import { EdgeLimits } from './edge-limits.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import { RateLimit } from './rate-limit.ts';
import type { StatePartName, Subjects } from './subjects.ts';
import { digestOf, NO_DOCUMENTS, type PartVersion, type Sender } from './wire.ts';

export interface CounterPublisherOptions {
  readonly from: Sender;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  /** How far has been counted; `undefined` before the first snapshot. */
  readonly position: () => LogPosition | undefined;
  /** When the counts were right, by `performance.now()`. */
  readonly rightAtMs: () => number;
  readonly log: Logger;
}

/** What is published is said again after so long. */
const SAY_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 50;
/** Of one event: at the pace of a match each commit is said at once; of a bulk, only some states on the way. */
const EVENT_RATE = { perSecond: 1_000_000, burst: 200_000 };
/** Of all events together, in bytes. */
const RATE = { perSecond: 16_000_000, burst: 8_000_000 };
/** Answers to all edges, and states that are said because one asks. */
const ANSWER_RATE = { perSecond: 4_000, burst: 1_000 };
const ASKED_RATE = { perSecond: 1_000, burst: 1_000 };
/** Who asks for parts that have just been said has missed them: so long they are not said again. */
const PARTS_EVERY_MS = 1_000;
const COUNTS_EVERY_MS = 50;

type Versioned<Part> = { readonly state: Part; readonly digest: string };

interface Published {
  counts: CountsPart | undefined;
  documents: Versioned<DocumentsPart> | undefined;
  details: Versioned<DetailsPart> | undefined;
  saidAtMs: number;
  partsSaidAtMs: number;
  readonly limit: RateLimit;
  /** Of its counts, as they were said last. */
  bytes: number;
}

/**
 * Says what is counted: each event's counts at every commit, once a turn of the event loop, and again every second; the
 * other parts when they change, and when an edge asks. Nothing waits for anybody: what cannot be sent is said again.
 */
export class CounterPublisher implements EventStateObserver {
  readonly #options: CounterPublisherOptions;
  readonly #events = new Map<string, Published>();
  /** Events whose counts have changed since they were said, in this order. */
  readonly #changed = new Set<string>();
  /** All events with counts, in the order in which they were said last. */
  readonly #said = new Set<string>();
  readonly #limit = new RateLimit(RATE);
  readonly #edgeLimits = new EdgeLimits();
  readonly #answerLimit = new RateLimit(ANSWER_RATE);
  readonly #askedLimit = new RateLimit(ASKED_RATE);
  readonly #timer: NodeJS.Timeout;
  #sending: NodeJS.Immediate | NodeJS.Timeout | undefined;
  #freshness: Freshness = { live: false, rightAtMs: performance.now(), reason: 'connecting' };
  #statesPublished = 0;
  #answers = 0;
  #refusedAsks = 0;
  readonly #log: LogOnce;

  constructor(options: CounterPublisherOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
    const { link, subjects } = options;
    link.subscribe({
      subject: subjects.asks,
      onMessage: (subject, bytes, reply) => this.#onAsk(subject, bytes, reply),
    });
    this.#timer = setInterval(() => this.#sayAgain(), LOOK_EVERY_MS);
  }

  get statesPublished(): number {
    return this.#statesPublished;
  }

  get answers(): number {
    return this.#answers;
  }

  /** Questions that were not answered: malformed, of another version, or with a reply that is not the asker's. */
  get refusedAsks(): number {
    return this.#refusedAsks;
  }

  /** How many events have counts. */
  get events(): number {
    return this.#said.size;
  }

  part(part: EventStatePart): void {
    // No edge can show another.
    if (!isEventId(part.eventId)) return;
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
    }
  }

  freshness(freshness: Freshness): void {
    this.#freshness = freshness;
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
      event = { counts: undefined, documents: undefined, details: undefined, ...never, limit, bytes: 0 };
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

  #sayAgain(): void {
    const nowMs = performance.now();
    for (const eventId of this.#said) {
      const event = this.#event(eventId);
      // Those behind it were said later.
      if (nowMs - event.saidAtMs < SAY_EVERY_MS - LOOK_EVERY_MS || this.#limit.waitMs(nowMs) > 0) return;
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
    event.bytes = this.#publishCounts(counts, event);
    event.limit.take(nowMs, event.bytes);
    this.#limit.take(nowMs, event.bytes);
  }

  /** Returns how many bytes it took. */
  #publishCounts(state: CountsPart, event: Pick<Published, 'documents' | 'details'> | undefined): number {
    const { from } = this.#options;
    const documents = event?.documents
      ? versionOf(event.documents)
      : { position: state.position, digest: NO_DOCUMENTS };
    const details = event?.details && versionOf(event.details);
    return this.#publish(state.eventId, 'counts', () => encodeState({ from, state, documents, details }));
  }

  #sayPart({ state, digest }: Versioned<DocumentsPart | DetailsPart>): void {
    const { from } = this.#options;
    const bytes = this.#publish(state.eventId, state.part, () => encodeState({ from, state, digest }));
    this.#limit.take(performance.now(), bytes);
  }

  #publish(eventId: string, part: StatePartName, encode: () => Buffer[]): number {
    const { link, subjects, from } = this.#options;
    const subject = subjects.state({ counter: from.counter, eventId, part });
    try {
      const messages = encode();
      for (const message of messages) link.publish(subject, message);
      this.#statesPublished += 1;
      return messages.reduce((sum, { length }) => sum + length, 0);
    } catch (error) {
      this.#log.error(
        'state',
        `${eventId} ${part}`,
        { err: error, eventId, part },
        'a state cannot be published',
      );
      return 0;
    }
  }

  #onAsk(subject: string, bytes: Uint8Array, reply: string | undefined): void {
    const { subjects } = this.#options;
    const asked = subjects.parseAsk(subject);
    if (!asked || !this.#edgeLimits.take(asked.edge, performance.now())) return;
    try {
      checkAsk(bytes);
    } catch (error) {
      this.#refuse(asked.edge, error);
      return;
    }
    if (asked.about === 'state') this.#onStateAsked(asked.eventId);
    else if (reply?.startsWith(subjects.inbox(asked.edge))) this.#answerFreshness(reply);
    // Whoever names another's subject as the place of the answer would have us publish there.
    else
      this.#refuse(
        asked.edge,
        new RefusedMessage('subject', 'its reply is not beneath the inbox of its edge'),
      );
  }

  #answerFreshness(reply: string): void {
    const { from, link, position, rightAtMs } = this.#options;
    const nowMs = performance.now();
    if (!this.#answerLimit.take(nowMs)) return;
    const { live } = this.#freshness;
    const reason = this.#freshness.live ? undefined : this.#freshness.reason;
    const ageMs = Math.max(0, nowMs - rightAtMs());
    link.publish(reply, encodeAnswer({ from, position: position(), live, ageMs, reason }));
    this.#answers += 1;
  }

  #onStateAsked(eventId: string): void {
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
    this.#sayPart(event.documents ?? this.#noDocuments(eventId, position));
    if (event.details) this.#sayPart(event.details);
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
    this.#publishCounts(counts, this.#events.get(eventId));
  }

  #noDocuments(eventId: string, position: LogPosition): Versioned<DocumentsPart> {
    return { state: { part: 'documents', eventId, position, documents: [] }, digest: NO_DOCUMENTS };
  }

  #refuse(edge: string, error: unknown): void {
    this.#refusedAsks += 1;
    if (!(error instanceof RefusedMessage)) throw error;
    const fix =
      error.refusal === 'wire' ? '; upgrade one version at a time, the edges first, then the counters' : '';
    this.#log.error(error.refusal, edge, { edge, reason: error.message + fix }, 'a question is not answered');
  }
}

function versionOf({ state, digest }: Versioned<DocumentsPart | DetailsPart>): PartVersion {
  return { position: state.position, digest };
}

import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { RELAY_TICK_MS } from '../../domain/freshness.ts';
import { MAX_CODES } from '../../domain/tally.ts';
import type { EventStateObserver } from '../../board/counting/event-state-observer.ts';
import { CounterRegistry } from './counter-registry.ts';
import { decodeAnswer, decodeState, type Refusal, RefusedMessage } from './decode.ts';
import { encodeAsk } from './encode.ts';
import { FollowedEvent } from './followed-event.ts';
import { FreshnessQuestions } from './freshness-questions.ts';
import { describeBehind, LiveSearch, type LiveSearchOptions } from './live-search.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import { RateLimit } from './rate-limit.ts';
import type { Subjects } from './subjects.ts';
import { type CountsMessage, UPGRADE_ORDER, WIRE } from './wire.ts';

export interface EdgeSubscriberOptions extends Pick<LiveSearchOptions, 'servers' | 'openLink' | 'proved'> {
  /** The node name of the edge. */
  readonly edge: string;
  readonly subjects: Subjects;
  readonly link: Pick<
    NatsLink,
    'publish' | 'subscribe' | 'server' | 'changeTo' | 'notConnectedReason' | 'connectedAtMs' | 'connections'
  >;
  readonly log: Logger;
}

/** An edge asks for an event of which it has received nothing for this long, and again every ASK_STATE_EVERY_MS. */
const SILENT_MS = 1_250;
const ASK_STATE_EVERY_MS = 500;
const ASK_STATE_RATE = { perSecond: 400, burst: 200 };

export interface EdgeFigures {
  readonly states: number;
  readonly refused: Readonly<Record<Refusal, number>>;
  readonly conflicts: number;
}

/**
 * The edge's side of the relay: receives the states of the events that it follows, asks all counters whether those can be
 * trusted, and searches behind the other NATS servers while no counter is live.
 */
export class EdgeSubscriber {
  readonly #options: EdgeSubscriberOptions;
  readonly #counters: CounterRegistry;
  readonly #events = new Map<string, FollowedEvent>();
  readonly #unsubscribe = new Map<string, () => void>();
  readonly #askedState = new Map<string, number>();
  readonly #askStateLimit = new RateLimit(ASK_STATE_RATE);
  readonly #questions: FreshnessQuestions;
  readonly #search: LiveSearch;
  readonly #timer: NodeJS.Timeout;
  readonly #log: LogOnce;
  #states = 0;
  #conflicts = 0;
  readonly #refused: Record<Refusal, number> = { size: 0, form: 0, wire: 0, subject: 0 };
  #newerWire: string | undefined;

  constructor(options: EdgeSubscriberOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
    this.#counters = new CounterRegistry(options.proved);
    this.#questions = new FreshnessQuestions({
      ...options,
      primaries: () => this.#counters.primaries(performance.now()),
      onAnswer: (subject, bytes, askedAtMs) => this.#onAnswer(subject, bytes, askedAtMs),
    });
    this.#search = new LiveSearch({ ...options, counters: this.#counters });
    this.#timer = setInterval(() => this.#check(), RELAY_TICK_MS);
  }

  get figures(): EdgeFigures {
    return { states: this.#states, refused: this.#refused, conflicts: this.#conflicts };
  }

  /** Follows one more event, with the codes of its venue. Its observer is notified as by an EventProjection. */
  follow(eventId: string, codes: ReadonlySet<string>, observer: EventStateObserver): FollowedEvent {
    const { link, subjects } = this.#options;
    const event = new FollowedEvent(eventId, codes, this.#counters, observer, performance.now());
    this.#events.set(eventId, event);
    const unsubscribe = link.subscribe({
      subject: subjects.statesOf(eventId),
      onMessage: (subject, bytes) => this.#onState(subject, bytes),
    });
    this.#unsubscribe.set(eventId, unsubscribe);
    this.#askState(eventId);
    return event;
  }

  unfollow({ eventId }: FollowedEvent): void {
    this.#unsubscribe.get(eventId)?.();
    this.#unsubscribe.delete(eventId);
    this.#events.delete(eventId);
    this.#askedState.delete(eventId);
  }

  /** A page claims to have seen this timeline, as `shortTimeline` writes it: the claim starts a search, and no more. */
  pageHasSeen(timeline: string): void {
    this.#search.pageHasSeen(timeline);
  }

  /** There is a new connection: what was published meanwhile is asked for. */
  connected(): void {
    this.#questions.ask();
    for (const eventId of this.#events.keys()) this.#askState(eventId);
  }

  /** The names of the counters that answer now. */
  answering(): string[] {
    const names = this.#counters.answering(performance.now()).map(({ from }) => from.counter);
    return [...new Set(names)].toSorted();
  }

  /** How much longer an answer of a counter may take than on a quick link. */
  get allowanceMs(): number {
    return this.#counters.allowanceMs(performance.now());
  }

  /** What keeps every event from being live, for the operator; `undefined` while a counter is live. */
  get unavailableReason(): string | undefined {
    if (this.#counters.isAnyLive(performance.now())) return undefined;
    return this.#silentReason ?? this.#staleReason;
  }

  /** What keeps this event from being live, for the operator; `undefined` while it is live. */
  notReadyReason(event: FollowedEvent): string | undefined {
    if (event.freshness.live) return undefined;
    const { notConnectedReason } = this.#options.link;
    if (notConnectedReason !== undefined) return this.#silentReason;
    if (event.twins.length > 0) {
      return (
        `The counters ${event.twins.join(', ')} are live and count several primaries of one timeline, which have no order: ` +
        'stop those that are not to count, or go back to the other one on purpose with `npm run return`'
      );
    }
    if (event.counterWithoutCodes !== undefined) {
      return (
        `The tickets of the event ${event.eventId} have more than ${MAX_CODES} codes, and the counter ${event.counterWithoutCodes}, ` +
        'which does not know its venue, does not count each of its sectors by itself: correct the codes, and start the counter again'
      );
    }
    if (event.conflictingCounter !== undefined) {
      return (
        `The counter ${event.conflictingCounter} stands before ${event.counts?.position ?? ''}, which the screens have seen, ` +
        'and does not come to it: it counts an older copy of the database; go back to it on purpose with `npm run return`'
      );
    }
    if (this.#silentReason !== undefined) return this.#silentReason;
    const former = this.#counters.followingFormerPrimary(performance.now());
    if (former.length > 0) {
      return (
        `The counters that are live (${former.join(', ')}) count a former primary: ` +
        'name the host of the new one in their DATABASE_URL, and look why they do not reach it; ' +
        'if there is none, as this edge has seen a copy that was promoted, go back to this one with `npm run return`'
      );
    }
    if (!event.counts)
      return `No counter has published this event yet: if that stays so, start one that counts it, or correct its ID (${event.eventId})`;
    if (this.#counters.isAnyLive(performance.now()))
      return 'No counter that is live has published this event of late: if that stays so, start one that counts it';
    return this.#staleReason;
  }

  /** Why no counter answers; `undefined` while one does. */
  get #silentReason(): string | undefined {
    const { notConnectedReason } = this.#options.link;
    if (notConnectedReason !== undefined) return `NATS: ${notConnectedReason}`;
    if (this.answering().length > 0)
      return this.#counters.isComplete(performance.now()) ? undefined : 'The counters are being asked';
    return this.#newerWire ?? this.#staleReason;
  }

  get #staleReason(): string {
    return `No counter is live: ${this.#seen}. Start one, or look at its log`;
  }

  /** The state of the counters behind the NATS server in use and, as of the last search, behind the others. */
  get #seen(): string {
    const { server } = this.#options.link;
    const own = server && describeBehind(server, this.#counters.describe(performance.now()));
    return [own, this.#search.seen].filter(Boolean).join('; ');
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#questions.stop();
    await this.#search.stop();
  }

  #askState(eventId: string): void {
    const { link, subjects, edge } = this.#options;
    const nowMs = performance.now();
    if (nowMs - (this.#askedState.get(eventId) ?? -Infinity) < ASK_STATE_EVERY_MS) return;
    if (!this.#askStateLimit.take(nowMs)) return;
    if (link.publish(subjects.askState(edge, eventId), encodeAsk())) this.#askedState.set(eventId, nowMs);
  }

  #onAnswer(subject: string, bytes: Uint8Array, askedAtMs: number): void {
    const answer = this.#read(subject, () => decodeAnswer(bytes));
    if (!answer) return;
    const nowMs = performance.now();
    this.#newerWire = undefined;
    this.#counters.answered(answer, askedAtMs, nowMs);
    for (const name of this.#counters.sharedNames(nowMs)) {
      this.#log.error(
        'name',
        name,
        { counter: name },
        'several counters have one name: give each its own NODE_NAME',
      );
    }
    for (const event of this.#events.values()) event.check(nowMs);
  }

  #onState(subject: string, bytes: Uint8Array): void {
    const address = this.#options.subjects.parseState(subject);
    const event = address && this.#events.get(address.eventId);
    // Slices that this version does not know are ignored.
    if (!address || !event) return;
    this.#states += 1;
    const message = this.#read(subject, () => decodeState(bytes, address));
    if (!message) return;
    if (!('digest' in message)) this.#takeCounts(event, message);
    else event.offerSlice(message, performance.now());
  }

  #takeCounts(event: FollowedEvent, message: CountsMessage): void {
    const nowMs = performance.now();
    const before = event.counts;
    const { choice, lacksSlices } = event.offerCounts(message, nowMs);
    if (lacksSlices) this.#askState(event.eventId);
    if (choice === 'conflict') this.#onConflict(event, message);
    // Where the counters have answered before, the first counts are live at once.
    if (!before || !event.freshness.live) event.check(nowMs);
  }

  #onConflict({ eventId, counts }: FollowedEvent, { from, state }: CountsMessage): void {
    this.#conflicts += 1;
    const details = {
      eventId,
      position: state.position,
      counter: from.counter,
      its: { tickets: state.tickets, admitted: state.admitted, valid: state.valid },
      current: counts && { tickets: counts.tickets, admitted: counts.admitted, valid: counts.valid },
    };
    this.#log.error(
      'conflict',
      `${eventId} ${state.position} ${from.counter}`,
      details,
      'two counters count differently at one position: one of them is wrong, restart both and report this',
    );
  }

  #check(): void {
    const nowMs = performance.now();
    for (const event of this.#events.values()) {
      event.check(nowMs);
      if (event.sinceReceivedMs(nowMs) > SILENT_MS) this.#askState(event.eventId);
    }
    this.#search.check(nowMs);
  }

  #read<T>(subject: string, decode: () => T): T | undefined {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof RefusedMessage)) throw error;
      this.#refuse(subject, error);
      return undefined;
    }
  }

  #refuse(subject: string, { refusal, message, wire = 0 }: RefusedMessage): void {
    this.#refused[refusal] += 1;
    const fix = wire > WIRE ? UPGRADE_ORDER : 'it is too old: upgrade the counters, one version at a time';
    const reason = refusal === 'wire' ? `A counter speaks another version: ${message}; ${fix}` : message;
    if (refusal === 'wire') this.#newerWire = reason;
    // The subject of an answer ends in the number of its question.
    const which = this.#questions.isAnswer(subject) ? `an answer: ${reason}` : subject;
    this.#log.error(refusal, which, { subject, reason }, 'a message is refused');
  }
}

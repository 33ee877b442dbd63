import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Freshness } from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { decodeAsk, RefusedMessage } from './decode.ts';
import { EdgeLimits } from './edge-limits.ts';
import { EdgeContact } from './edge-contact.ts';
import { encodeAnswer } from './encode.ts';
import { Fellows } from './fellows.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import { RateLimit } from './rate-limit.ts';
import type { Subjects } from './subjects.ts';
import { type Sender, UPGRADE_ORDER } from './wire.ts';

export interface CounterAnswersOptions {
  readonly from: Sender;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  /** The position that has been counted up to; `undefined` before the first snapshot. */
  readonly position: () => LogPosition | undefined;
  /** When the counts were last verified, by `performance.now()`. */
  readonly verifiedAtMs: () => number;
  readonly freshness: () => Freshness;
  /** The server that is counted, as its source names it. */
  readonly server: () => string | undefined;
  /** An edge lacks the state of this event. */
  readonly onStateAsked: (eventId: string) => void;
  readonly log: Logger;
}

/** How many answers all edges get together. */
const ANSWER_RATE = { perSecond: 4_000, burst: 1_000 };

/** Answers the edges that ask how fresh the counts are. */
export class CounterAnswers {
  readonly #options: CounterAnswersOptions;
  readonly #edgeLimits = new EdgeLimits();
  readonly #contact = new EdgeContact();
  /** What edges know of the other counters. */
  readonly fellows: Fellows;
  readonly #limit = new RateLimit(ANSWER_RATE);
  readonly #log: LogOnce;
  #answered = 0;
  #refused = 0;

  constructor(options: CounterAnswersOptions) {
    this.#options = options;
    this.fellows = new Fellows(options.from.counter);
    this.#log = new LogOnce(options.log);
    options.link.subscribe({
      subject: options.subjects.asks,
      onMessage: (subject, bytes, reply) => this.#onAsk(subject, bytes, reply),
    });
  }

  /** Whether questions of any edge arrive. It must be called every LOOK_EVERY_MS. */
  hasContact(nowMs: number): boolean {
    return this.#contact.hasContact(nowMs);
  }

  get answered(): number {
    return this.#answered;
  }

  /** Counts questions that were malformed, of another version, or had a reply outside the edge's inbox. */
  get refused(): number {
    return this.#refused;
  }

  #onAsk(subject: string, bytes: Uint8Array, reply: string | undefined): void {
    const { subjects, onStateAsked } = this.#options;
    const asked = subjects.parseAsk(subject);
    if (!asked || !this.#edgeLimits.take(asked.edge, performance.now())) return;
    this.#contact.noteQuestion(performance.now());
    try {
      const primaries = decodeAsk(bytes);
      // A question about a state has none.
      if (asked.about === 'freshness') this.fellows.note(asked.edge, primaries, performance.now());
    } catch (error) {
      this.#refuse(asked.edge, error);
      return;
    }
    if (asked.about === 'state') onStateAsked(asked.eventId);
    else if (reply?.startsWith(subjects.inbox(asked.edge))) this.#answerFreshness(reply);
    // An edge that names another subject for the answer could make a counter publish anywhere.
    else
      this.#refuse(
        asked.edge,
        new RefusedMessage('subject', 'its reply is not beneath the inbox of its edge'),
      );
  }

  #answerFreshness(reply: string): void {
    const { from, link, position, verifiedAtMs, server } = this.#options;
    const nowMs = performance.now();
    if (!this.#limit.take(nowMs)) return;
    const freshness = this.#options.freshness();
    const reason = freshness.live ? undefined : freshness.reason;
    const ageMs = Math.max(0, nowMs - verifiedAtMs());
    const { live } = freshness;
    const answer = { from, position: position(), live, ageMs, atMs: nowMs, reason, server: server() };
    link.publish(reply, encodeAnswer(answer));
    this.#answered += 1;
  }

  #refuse(edge: string, error: unknown): void {
    this.#refused += 1;
    if (!(error instanceof RefusedMessage)) throw error;
    const fix = error.refusal === 'wire' ? `; ${UPGRADE_ORDER}, one version at a time` : '';
    this.#log.error(error.refusal, edge, { edge, reason: error.message + fix }, 'a question is not answered');
  }
}

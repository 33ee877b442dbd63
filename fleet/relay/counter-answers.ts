import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Freshness } from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { checkAsk, RefusedMessage } from './decode.ts';
import { EdgeLimits } from './edge-limits.ts';
import { EdgesReaching } from './edges-reaching.ts';
import { encodeAnswer } from './encode.ts';
import { LogOnce } from './log-once.ts';
import type { NatsLink } from './nats-link.ts';
import { RateLimit } from './rate-limit.ts';
import type { Subjects } from './subjects.ts';
import { type Sender, UPGRADE_ORDER } from './wire.ts';

export interface CounterAnswersOptions {
  readonly from: Sender;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  /** How far has been counted; `undefined` before the first snapshot. */
  readonly position: () => LogPosition | undefined;
  /** When the counts were last verified, by `performance.now()`. */
  readonly verifiedAtMs: () => number;
  readonly freshness: () => Freshness;
  /** An edge lacks the state of this event. */
  readonly onStateAsked: (eventId: string) => void;
  readonly log: Logger;
}

/** To all edges. */
const ANSWER_RATE = { perSecond: 4_000, burst: 1_000 };

/** What a counter answers when edges ask how fresh its counts are, and whom it refuses. */
export class CounterAnswers {
  readonly #options: CounterAnswersOptions;
  readonly #edgeLimits = new EdgeLimits();
  readonly #reaching = new EdgesReaching();
  readonly #limit = new RateLimit(ANSWER_RATE);
  readonly #log: LogOnce;
  #answered = 0;
  #refused = 0;

  constructor(options: CounterAnswersOptions) {
    this.#options = options;
    this.#log = new LogOnce(options.log);
    options.link.subscribe({
      subject: options.subjects.asks,
      onMessage: (subject, bytes, reply) => this.#onAsk(subject, bytes, reply),
    });
  }

  /** Whether the questions of any edge come, to be asked every LOOK_EVERY_MS. */
  isReached(nowMs: number): boolean {
    return this.#reaching.isReached(nowMs);
  }

  get answered(): number {
    return this.#answered;
  }

  /** Questions that were malformed, of another version, or with a reply that is not the asker's. */
  get refused(): number {
    return this.#refused;
  }

  #onAsk(subject: string, bytes: Uint8Array, reply: string | undefined): void {
    const { subjects, onStateAsked } = this.#options;
    const asked = subjects.parseAsk(subject);
    if (!asked || !this.#edgeLimits.take(asked.edge, performance.now())) return;
    this.#reaching.asked(performance.now());
    try {
      checkAsk(bytes);
    } catch (error) {
      this.#refuse(asked.edge, error);
      return;
    }
    if (asked.about === 'state') onStateAsked(asked.eventId);
    else if (reply?.startsWith(subjects.inbox(asked.edge))) this.#answerFreshness(reply);
    // Whoever names another's subject as the place of the answer would have us publish there.
    else
      this.#refuse(
        asked.edge,
        new RefusedMessage('subject', 'its reply is not beneath the inbox of its edge'),
      );
  }

  #answerFreshness(reply: string): void {
    const { from, link, position, verifiedAtMs } = this.#options;
    const nowMs = performance.now();
    if (!this.#limit.take(nowMs)) return;
    const freshness = this.#options.freshness();
    const reason = freshness.live ? undefined : freshness.reason;
    const ageMs = Math.max(0, nowMs - verifiedAtMs());
    link.publish(reply, encodeAnswer({ from, position: position(), live: freshness.live, ageMs, reason }));
    this.#answered += 1;
  }

  #refuse(edge: string, error: unknown): void {
    this.#refused += 1;
    if (!(error instanceof RefusedMessage)) throw error;
    const fix = error.refusal === 'wire' ? `; ${UPGRADE_ORDER}, one version at a time` : '';
    this.#log.error(error.refusal, edge, { edge, reason: error.message + fix }, 'a question is not answered');
  }
}

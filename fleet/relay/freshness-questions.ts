import { randomBytes } from 'node:crypto';
import { ASK_EVERY_MS } from '../../domain/freshness.ts';
import { encodeAsk } from './encode.ts';
import type { NatsLink } from './nats-link.ts';
import type { Subjects } from './subjects.ts';
import type { CountedPrimaries } from './wire.ts';

export interface FreshnessQuestionsOptions {
  /** The node name of the edge. */
  readonly edge: string;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  /** The primaries that the counters count which answer. */
  readonly primaries: () => CountedPrimaries;
  /** `askedAtMs`: when the question was sent, by `performance.now()`. */
  readonly onAnswer: (subject: string, bytes: Uint8Array, askedAtMs: number) => void;
}

/** An answer to an earlier question is too old to be of use. */
const REMEMBERED_ASKS = 40;

/**
 * Asks all counters behind a connection four times a second how fresh their counts are. The time of a question is taken by
 * this process's own clock: the counts were verified then, less the age in the answer, however long either was under way.
 */
export class FreshnessQuestions {
  readonly #options: FreshnessQuestionsOptions;
  /** When each question was sent, by its number. */
  readonly #asks = new Map<number, number>();
  /** It is unique, so that another process of the same name gets its own answers. */
  readonly #inbox: string;
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #lastAsk = 0;

  constructor(options: FreshnessQuestionsOptions) {
    this.#options = options;
    const { subjects, edge, link } = options;
    this.#inbox = `${subjects.inbox(edge)}${randomBytes(6).toString('hex')}.`;
    this.#unsubscribe = link.subscribe({
      subject: `${this.#inbox}*`,
      onMessage: (subject, bytes) => this.#onAnswer(subject, bytes),
    });
    this.#timer = setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  ask(): void {
    const { link, subjects, edge, primaries } = this.#options;
    this.#lastAsk += 1;
    this.#asks.set(this.#lastAsk, performance.now());
    this.#asks.delete(this.#lastAsk - REMEMBERED_ASKS);
    link.publish(subjects.askFreshness(edge), encodeAsk(primaries()), this.#inbox + this.#lastAsk);
  }

  isAnswer(subject: string): boolean {
    return subject.startsWith(this.#inbox);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  #onAnswer(subject: string, bytes: Uint8Array): void {
    // NATS itself reports in this way that no counter listens.
    if (bytes.length === 0) return;
    const askedAtMs = this.#asks.get(Number(subject.slice(this.#inbox.length)));
    if (askedAtMs !== undefined) this.#options.onAnswer(subject, bytes, askedAtMs);
  }
}

import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { DeskUnavailableError } from '../../desk/flow/desk.ts';
import type { NatsLink } from '../relay/nats-link.ts';
import type { Subjects } from '../relay/subjects.ts';
import type { DeskLine } from './desk-line.ts';
import { QuestionPace } from './question-pace.ts';

export interface NatsDeskLinesOptions {
  /** The node name of the edge. */
  readonly edge: string;
  readonly subjects: Subjects;
  readonly link: Pick<NatsLink, 'publish' | 'subscribe'>;
  /** The names of the counters that answer now. */
  readonly counters: () => readonly string[];
  /** How much longer an answer may take than on a quick link. */
  readonly allowanceMs: () => number;
}

/** How long all counters are waited for: a desk's state is asked for each second. */
const ALL_WITHIN_MS = 500;

/** A counter that has answered no other question for this long is given up. */
const GONE_AFTER_MS = 1_000;
const LOOK_EVERY_MS = 250;

type Answered = (counter: string, answer: Uint8Array) => void;

/** An edge's questions to counters over NATS, and their answers. */
export class NatsDeskLines {
  readonly #options: NatsDeskLinesOptions;
  /** It is unique, so that another process of the same name gets its own answers. */
  readonly #inbox: string;
  readonly #waiting = new Map<string, Answered>();
  readonly #pace = new QuestionPace();
  #lastAsk = 0;

  constructor(options: NatsDeskLinesOptions) {
    this.#options = options;
    const { link, subjects, edge } = options;
    this.#inbox = `${subjects.inbox(edge)}${randomBytes(6).toString('hex')}.desk.`;
    link.subscribe({
      subject: `${this.#inbox}>`,
      onMessage: (subject, bytes) => {
        const [ask = '', counter] = subject.slice(this.#inbox.length).split('.');
        // Without a name, NATS itself reports that no counter listens.
        if (counter !== undefined) this.#waiting.get(ask)?.(counter, bytes);
      },
    });
  }

  of(eventId: string): DeskLine {
    return {
      turn: () => this.#pace.turn(),
      askAll: (question) => this.#askAll(eventId, question),
      ask: (counter, question, limitMs) => this.#ask(eventId, counter, question, limitMs),
    };
  }

  #askAll(eventId: string, question: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
    const { subjects, edge, counters } = this.#options;
    const answers = new Map<string, Uint8Array>();
    return new Promise((resolve) => {
      const end = this.#send(subjects.askDesk(edge, eventId), question, ALL_WITHIN_MS, {
        answered(counter, answer) {
          answers.set(counter, answer);
          if (counters().every((name) => answers.has(name))) end?.();
        },
        ended: () => resolve(answers),
      });
      if (!end) resolve(answers);
    });
  }

  #ask(eventId: string, counter: string, question: Uint8Array, limitMs: number): Promise<Uint8Array> {
    const { subjects, edge } = this.#options;
    return new Promise((resolve, reject) => {
      let end: (() => void) | undefined;
      const looking = this.#whenGone(counter, () => end?.());
      const refuse = (): void => {
        clearInterval(looking);
        reject(new DeskUnavailableError(`the counter ${counter} does not answer`));
      };
      end = this.#send(subjects.askDesk(edge, eventId, counter), question, limitMs, {
        answered(name, answer) {
          // Another counter was not asked.
          if (name !== counter) return;
          resolve(answer);
          end?.();
        },
        ended: refuse,
      });
      if (!end) refuse();
    });
  }

  /** Calls `gone` once the counter has answered nothing for GONE_AFTER_MS, until the timer is cleared. */
  #whenGone(counter: string, gone: () => void): NodeJS.Timeout {
    let answeredAtMs = performance.now();
    return setInterval(() => {
      if (this.#options.counters().includes(counter)) answeredAtMs = performance.now();
      else if (performance.now() - answeredAtMs >= GONE_AFTER_MS) gone();
    }, LOOK_EVERY_MS);
  }

  /** Returns how to stop waiting; `undefined`: the question was not published. */
  #send(
    subject: string,
    question: Uint8Array,
    limitMs: number,
    { answered, ended }: { readonly answered: Answered; readonly ended: () => void },
  ): (() => void) | undefined {
    this.#lastAsk += 1;
    const ask = String(this.#lastAsk);
    if (!this.#options.link.publish(subject, question, this.#inbox + ask)) return undefined;
    const end = (): void => {
      clearTimeout(timer);
      if (this.#waiting.delete(ask)) ended();
    };
    const timer = setTimeout(end, limitMs + this.#options.allowanceMs());
    this.#waiting.set(ask, answered);
    return end;
  }
}

import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../relay/rate-limit.ts';

/** Below a counter's limit for an edge (answer-desks.ts): the rest is for states and commands, which do not wait. */
const RATE = { perSecond: 45, burst: 200 };

/** Delays the questions of an edge that reads long logs, in their order: a counter leaves those above its limit unanswered. */
export class QuestionPace {
  readonly #limit = new RateLimit(RATE);
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the next question may be sent. It keeps no process alive. */
  turn(): Promise<void> {
    this.#last = this.#last.then(() => this.#next());
    return this.#last;
  }

  async #next(): Promise<void> {
    while (!this.#limit.take(performance.now())) {
      await pause(this.#limit.waitMs(performance.now()), undefined, { ref: false });
    }
  }
}

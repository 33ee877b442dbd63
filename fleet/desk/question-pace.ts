import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../relay/rate-limit.ts';

/** Less than a counter answers of one edge (answer-desks.ts): the rest is for states and commands, which do not wait. */
const RATE = { perSecond: 45, burst: 200 };

/** Holds back the questions of an edge that reads long logs, in their order: what is asked too soon is left unanswered. */
export class QuestionPace {
  readonly #limit = new RateLimit(RATE);
  #last: Promise<void> = Promise.resolve();

  /** Resolves when one more may be asked. A process that ends does not wait for it. */
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

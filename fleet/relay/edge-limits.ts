import { RateLimit } from './rate-limit.ts';

/** An edge asks four times a second how fresh the counts are, and for the state of at most 400 events. */
const RATE = { perSecond: 500, burst: 1_000 };
/** NATS gives each edge its name; where it does not, whoever comes may make some up. */
const MAX_EDGES = 10_000;

/** What each edge may ask of a counter: one that asks too much gets no answer, and the others get theirs. */
export class EdgeLimits {
  readonly #edges = new Map<string, RateLimit>();
  readonly #rate: typeof RATE;

  /** `rate`: of each edge; without one, that of questions that cost next to nothing. */
  constructor(rate = RATE) {
    this.#rate = rate;
  }

  /** False: what this edge asks now is left unanswered. `nowMs` is that of `performance.now()`. */
  take(edge: string, nowMs: number): boolean {
    let limit = this.#edges.get(edge);
    if (!limit) {
      if (this.#edges.size >= MAX_EDGES) this.#edges.clear();
      limit = new RateLimit(this.#rate);
      this.#edges.set(edge, limit);
    }
    return limit.take(nowMs);
  }
}

import { RateLimit } from './rate-limit.ts';

/** Each second an edge asks four times how fresh the counts are, and for the state of at most 400 events. */
const RATE = { perSecond: 500, burst: 1_000 };
/** Where the rights of NATS do not bind an edge to its name, a client may invent names. */
const MAX_EDGES = 10_000;

/** Limits the questions of each edge, so that one that asks too much does not starve the others. */
export class EdgeLimits {
  readonly #edges = new Map<string, RateLimit>();
  readonly #rate: typeof RATE;

  /** `rate` is that of each edge; the default is for questions that cost next to nothing. */
  constructor(rate = RATE) {
    this.#rate = rate;
  }

  /** False: this question is left unanswered. `nowMs` is that of `performance.now()`. */
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

import { performance } from 'node:perf_hooks';

/** A fault so soon after another one is not of the stream: a new replication session would not mend it. */
const AGAIN_WITHIN_MS = 600_000;

export interface FlowGuardOptions {
  /** A fault that nobody else is told of; the flow goes on. */
  readonly onLetPass: (error: unknown) => void;
  readonly onStopped: (error: unknown) => void;
}

/**
 * Keeps a fault of the flow from the counts. The first one ends the replication session that told of what it was found
 * in, as the flow goes on from a new snapshot; after a second one the flow stops until this process ends, and the counts
 * go on without it.
 */
export class FlowGuard {
  readonly #options: FlowGuardOptions;
  #faultAtMs = -Infinity;
  #stoppedAtMs: number | undefined;

  constructor(options: FlowGuardOptions) {
    this.#options = options;
  }

  /** By the monotonic clock; `undefined` while it goes on. */
  get stoppedAtMs(): number | undefined {
    return this.#stoppedAtMs;
  }

  /**
   * Of two things told at most: an array for each of a million changes would cost as much as counting them.
   *
   * @throws the first fault, for whoever can begin anew.
   */
  wrap<Take extends (one: never, two: never) => void>(take: Take): Take {
    const takeBoth = take as unknown as (one: unknown, two: unknown) => void;
    const guarded = (one: unknown, two: unknown): void => {
      if (this.#stoppedAtMs !== undefined) return;
      try {
        takeBoth(one, two);
      } catch (error) {
        if (!this.#isAgain()) throw error;
        this.#stop(error);
      }
    };
    return guarded as unknown as Take;
  }

  /** What is done by a timer: a first fault is let pass, as the next time may be right. `afterwards`: once it has stopped. */
  repeat(work: () => void, afterwards: () => void): () => void {
    return () => {
      if (this.#stoppedAtMs !== undefined) return afterwards();
      try {
        work();
      } catch (error) {
        if (this.#isAgain()) this.#stop(error);
        else this.#options.onLetPass(error);
      }
    };
  }

  #isAgain(): boolean {
    const nowMs = performance.now();
    const isAgain = nowMs - this.#faultAtMs < AGAIN_WITHIN_MS;
    this.#faultAtMs = nowMs;
    return isAgain;
  }

  #stop(error: unknown): void {
    this.#stoppedAtMs = performance.now();
    this.#options.onStopped(error);
  }
}

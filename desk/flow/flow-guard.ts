import { performance } from 'node:perf_hooks';

/** A new replication session would not mend a fault so soon after another one. */
const AGAIN_WITHIN_MS = 600_000;

export interface FlowGuardOptions {
  /** Receives a fault after which the flow continues. */
  readonly onLetPass: (error: unknown) => void;
  readonly onStopped: (error: unknown) => void;
}

/**
 * Keeps faults of the flow from the counts. The first fault ends the replication session, and the flow continues from a new
 * snapshot. After a second one the flow stops until this process ends, and the counts continue without it.
 */
export class FlowGuard {
  readonly #options: FlowGuardOptions;
  #faultAtMs = -Infinity;
  #stoppedAtMs: number | undefined;

  constructor(options: FlowGuardOptions) {
    this.#options = options;
  }

  /** When the flow stopped, by the monotonic clock; `undefined` while it runs. */
  get stoppedAtMs(): number | undefined {
    return this.#stoppedAtMs;
  }

  /**
   * Guards a function of at most two arguments: an array for each of a million changes would cost as much as counting them.
   *
   * @throws the first fault, so that the caller starts a new session.
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

  /** Guards the work of a timer: a first fault is only logged. After the flow has stopped, `afterwards` runs instead. */
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

import { performance } from 'node:perf_hooks';

/**
 * Runs a check again and again, one at a time. The next one is over `everyMs` after this one has begun, if it takes as long:
 * over a slow link it begins sooner, or at once. The check must not reject.
 */
export class RepeatedCheck {
  readonly #everyMs: number;
  readonly #check: () => Promise<void>;
  #begunAtMs = 0;
  #isRunning = false;
  #next: NodeJS.Timeout | undefined;
  #over = false;

  constructor(everyMs: number, check: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#check = check;
  }

  /** How long the check that is under way has been so; 0: none is. */
  get pendingMs(): number {
    return this.#isRunning ? performance.now() - this.#begunAtMs : 0;
  }

  start(): void {
    this.#begunAtMs = performance.now();
    this.#isRunning = true;
    void this.#check().then(() => {
      this.#isRunning = false;
      if (this.#over) return;
      const tookMs = performance.now() - this.#begunAtMs;
      this.#next = setTimeout(() => this.start(), Math.max(0, this.#everyMs - 2 * tookMs));
    });
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#next);
  }
}

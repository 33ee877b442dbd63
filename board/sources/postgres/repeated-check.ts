import { performance } from 'node:perf_hooks';

/**
 * Runs a check again and again, one at a time: so often, or at once after one that took more than half of that, as over a slow
 * link, where the next answer is under way for as long. The check must not reject.
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
      const pauseMs = tookMs > this.#everyMs / 2 ? 0 : this.#everyMs - tookMs;
      this.#next = setTimeout(() => this.start(), pauseMs);
    });
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#next);
  }
}

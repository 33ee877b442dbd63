/** Each edge asks four times a second. */
const UNREACHED_AFTER_MS = 1_500;
const HELD_UP_MS = 500;

/** How often `isReached` is to be asked. */
export const LOOK_EVERY_MS = 250;

/** Whether the questions of any edge reach a counter. Time is told: it has no clock of its own. */
export class EdgesReaching {
  #askedAtMs = -Infinity;
  #lookedAtMs: number | undefined;

  asked(nowMs: number): void {
    this.#askedAtMs = nowMs;
  }

  isReached(nowMs: number): boolean {
    // This process was held up: what came meanwhile has not been read yet.
    if (this.#lookedAtMs !== undefined && nowMs - this.#lookedAtMs > LOOK_EVERY_MS + HELD_UP_MS)
      this.#askedAtMs += nowMs - this.#lookedAtMs;
    this.#lookedAtMs = nowMs;
    return nowMs - this.#askedAtMs <= UNREACHED_AFTER_MS;
  }
}

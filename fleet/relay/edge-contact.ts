/** Each edge asks four times a second. */
const UNREACHED_AFTER_MS = 1_500;
const HELD_UP_MS = 500;

/** How often `hasContact` must be called. */
export const LOOK_EVERY_MS = 250;

/** Decides whether the questions of any edge reach a counter. The caller gives the time. */
export class EdgeContact {
  #askedAtMs = -Infinity;
  #lookedAtMs: number | undefined;

  noteQuestion(nowMs: number): void {
    this.#askedAtMs = nowMs;
  }

  hasContact(nowMs: number): boolean {
    // This process was held up: questions that arrived meanwhile have not been read yet.
    if (this.#lookedAtMs !== undefined && nowMs - this.#lookedAtMs > LOOK_EVERY_MS + HELD_UP_MS)
      this.#askedAtMs += nowMs - this.#lookedAtMs;
    this.#lookedAtMs = nowMs;
    return nowMs - this.#askedAtMs <= UNREACHED_AFTER_MS;
  }
}

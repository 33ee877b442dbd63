/** Two clocks go apart by less than a millisecond in this time. */
const HELD_MS = 5_000;

/**
 * What this process's clock showed when the clock of a counter showed a moment, at the earliest: that of its answer was not
 * before the question was sent. Over a slow link the quickest of the last questions is closest to it, and holds for all of
 * them. All times are those of `performance.now()`, here or there.
 */
export class CounterClock {
  /** The greatest differences of the last HELD_MS, and of as long before. */
  #differencesMs = { now: -Infinity, before: -Infinity };
  #sinceMs = -Infinity;

  /** An answer was made when the counter's clock showed `counterMs`. */
  note(counterMs: number, askedAtMs: number, nowMs: number): void {
    const { now, before } = this.#differencesMs;
    // It was made before it came: otherwise one of the two clocks has stood still, with its machine.
    if (Math.max(now, before) > nowMs - counterMs)
      this.#differencesMs = { now: -Infinity, before: -Infinity };
    else if (nowMs - this.#sinceMs > HELD_MS) {
      this.#differencesMs = { now: -Infinity, before: nowMs - this.#sinceMs > 2 * HELD_MS ? -Infinity : now };
      this.#sinceMs = nowMs;
    }
    this.#differencesMs.now = Math.max(this.#differencesMs.now, askedAtMs - counterMs);
  }

  /** What this process's clock showed then, or later. */
  earliestMs(counterMs: number): number {
    const { now, before } = this.#differencesMs;
    return counterMs + Math.max(now, before);
  }
}

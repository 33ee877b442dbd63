/**
 * What one screen is sent, at most, over any longer time: 30 bytes a millisecond. A frame of thirteen sectors has up to
 * 257 bytes: some 115 frames a second, more than a display draws. A line that cannot carry 30 KB/s carries no web page.
 */
const BYTES_PER_MS = 30;

/**
 * What may go out beyond that at once. A giant stadium's peak is 50 admissions a second, at random: 14 KB/s of the 30, in
 * which 30 frames within a few milliseconds, which this is, do not occur in a hundred matches.
 */
const BURST_BYTES = 8_000;

/** No frame waits longer for those before it, if there is any time for it. */
const MAX_DISTANCE_MS = 100;

/** Sector documents may be large, and are rare: they cost no more than the burst and the longest distance. */
const MAX_DEBT_BYTES = MAX_DISTANCE_MS * BYTES_PER_MS;

/** Where sending to all takes all of the time, this much is left for everything else. */
const MIN_PAUSE_MS = 16;

/** The share of the time that sending may take. The database may be on the same machine. */
const SENDING_SHARE = 0.5;

/**
 * What may be spent beyond that at once. 5,000 viewers take 50 ms, and 10 changes a second, at random, two fifths of the
 * time: a burst of 500 ms lets all of them go round without a pause (p99 51 ms to a viewer); with one of 150 ms, those
 * that come close together wait (72 ms).
 */
const BURST_MS = 500;

interface Sent {
  readonly startMs: number;
  readonly endMs: number;
  /** The share of the screens that had their turn: 1 is a whole round. */
  readonly share: number;
  /** The bytes to each screen, on average. */
  readonly bytes: number;
}

/**
 * Decides when sending may continue. At the pace of a match, at once. Under more load it waits for two budgets, token buckets,
 * to be above zero again: that of bytes; and that of time, where it waits at most as long as it has sent, so that half of
 * the time stays for everything else. All times are of one monotonic clock, in milliseconds.
 */
export class FramePacing {
  #budgetBytes = BURST_BYTES;
  #budgetMs = BURST_MS;
  #refilledAtMs = -Infinity;
  #notBeforeMs = -Infinity;

  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(this.#notBeforeMs - nowMs, -this.#budgetBytes / BYTES_PER_MS, 0);
  }

  sent({ startMs, endMs, share, bytes }: Sent): void {
    this.#refill(endMs);
    const tookMs = endMs - startMs;
    this.#budgetMs -= tookMs;
    if (this.#budgetMs <= 0) {
      this.#budgetMs = 0;
      const allTakeMs = tookMs / share;
      const pauseMs = Math.min(allTakeMs, Math.max(MAX_DISTANCE_MS - allTakeMs, MIN_PAUSE_MS));
      this.#notBeforeMs = endMs + pauseMs * share;
    }
    const mostBytes = (BURST_BYTES + MAX_DEBT_BYTES) * share;
    this.#budgetBytes = Math.max(this.#budgetBytes - Math.min(bytes, mostBytes), -MAX_DEBT_BYTES);
  }

  #refill(nowMs: number): void {
    const sinceMs = Math.max(0, nowMs - this.#refilledAtMs);
    this.#budgetBytes = Math.min(BURST_BYTES, this.#budgetBytes + sinceMs * BYTES_PER_MS);
    this.#budgetMs = Math.min(BURST_MS, this.#budgetMs + sinceMs * SENDING_SHARE);
    this.#refilledAtMs = nowMs;
  }
}

/**
 * What one screen is sent, at most, over any longer time: 30 bytes a millisecond. A frame of thirteen sectors has up to
 * 273 bytes: some 110 frames a second, more than a display draws. A line that cannot carry 30 KB/s carries no web page.
 */
const BYTES_PER_MS = 30;

/**
 * What may go out beyond that at once. A giant stadium's peak is 50 admissions a second, at random: 14 KB/s of the 30, in
 * which 30 frames within a few milliseconds, which this is, do not occur in a hundred matches.
 */
const BURST_BYTES = 8_000;

/** No frame waits longer for what was sent before it, if there is any time for it. */
const MAX_DISTANCE_MS = 100;

/** Where a frame takes all of its time, so much is left for everything else. */
const MIN_PAUSE_MS = 16;

/**
 * Says when the next frame may leave. At the pace of a match, at once. Under more load it waits for two things: until the
 * budget of bytes, a token bucket, is above zero again; and until twice the time has gone by that the last frame took to
 * send, so that half of the time stays for everything else. All times are of one monotonic clock, in milliseconds.
 */
export class FramePacing {
  #budgetBytes = BURST_BYTES;
  #refilledAtMs = -Infinity;
  #notBeforeMs = -Infinity;

  waitMs(nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(this.#notBeforeMs - nowMs, -this.#budgetBytes / BYTES_PER_MS, 0);
  }

  /** `bytes`: of the frame, as each screen gets it. */
  sent({ startMs, endMs, bytes }: { startMs: number; endMs: number; bytes: number }): void {
    const tookMs = endMs - startMs;
    this.#notBeforeMs = Math.max(
      startMs + Math.min(2 * tookMs, MAX_DISTANCE_MS),
      endMs + Math.min(tookMs, MIN_PAUSE_MS),
    );
    this.#refill(startMs);
    // Sector documents may be large, and are rare: they cost no more than the longest distance.
    this.#budgetBytes = Math.max(this.#budgetBytes - bytes, -MAX_DISTANCE_MS * BYTES_PER_MS);
  }

  #refill(nowMs: number): void {
    const refillBytes = (nowMs - this.#refilledAtMs) * BYTES_PER_MS;
    this.#budgetBytes = Math.min(BURST_BYTES, this.#budgetBytes + Math.max(0, refillBytes));
    this.#refilledAtMs = nowMs;
  }
}

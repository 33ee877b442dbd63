/** A token bucket. The caller gives the time: `nowMs` is that of `performance.now()`. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs = -Infinity;

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes this number of tokens if any is left; the balance may become negative. */
  take(nowMs: number, tokens = 1): boolean {
    if (this.waitMs(nowMs) > 0) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** How long until one is left. */
  waitMs(nowMs: number): number {
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passedMs * this.#perSecond) / 1_000);
    this.#filledAtMs = nowMs;
    return this.#tokens > 0 ? 0 : (-this.#tokens * 1_000) / this.#perSecond + 1;
  }
}

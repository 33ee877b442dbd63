/** A packet that is lost, or overtaken, costs another round trip. */
const FACTOR = 2;
const MAX_ALLOWANCE_MS = 2_000;
/** What was slow counts for half as much after so long. */
const HALF_LIFE_MS = 15_000;

/**
 * How much longer than on a quick link an answer may take, by the round trips that were measured. It grows with two slow answers
 * in a row, and falls slowly, so that limits do not go to and fro. Instants are those of `performance.now()`.
 */
export class RoundTrip {
  #lastMs = 0;
  #slowMs = 0;
  #atMs = 0;

  note(tookMs: number, nowMs: number): void {
    this.#slowMs = Math.max(Math.min(tookMs, this.#lastMs), this.#heldMs(nowMs));
    this.#lastMs = tookMs;
    this.#atMs = nowMs;
  }

  allowanceMs(nowMs: number): number {
    return Math.min(MAX_ALLOWANCE_MS, FACTOR * this.#heldMs(nowMs));
  }

  #heldMs(nowMs: number): number {
    return this.#slowMs * 2 ** (-(nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}

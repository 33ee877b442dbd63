/** A number shown as live must be the committed one of some instant this recent (invariant 8). */
const WINDOW_MS = 15_000;
/** Nobody looks further back. */
const KEEP_MS = 2 * WINDOW_MS;
/** Hundreds of screens ask at the same time. */
const REUSE_MS = 20;

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * Which totals may have been the committed one, and when, as far as writers can know: while a transaction is under
 * way, it may or may not have been committed.
 */
export class TotalHistory {
  #steps: (Bounds & { readonly atMs: number })[] = [{ atMs: performance.now(), low: 0, high: 0 }];
  #answer: (Bounds & { readonly atMs: number }) | undefined;

  /** Runs a transaction that changes the total by `change`, and is tried until it is committed. */
  async write(change: number, transaction: () => Promise<void>): Promise<void> {
    this.#widen(change < 0 ? change : 0, change > 0 ? change : 0);
    await transaction();
    this.#widen(change > 0 ? change : 0, change < 0 ? change : 0);
  }

  /** Whether `total` may be shown as live now. */
  mayBeLive(total: number): boolean {
    const { low, high } = this.#now();
    return total >= low && total <= high;
  }

  #widen(low: number, high: number): void {
    const atMs = performance.now();
    const last = this.#steps.at(-1) ?? { low: 0, high: 0 };
    this.#steps.push({ atMs, low: last.low + low, high: last.high + high });
    this.#answer = undefined;
    if (this.#steps.length < 10_000) return;
    const old = this.#steps.findLastIndex((step) => step.atMs < atMs - KEEP_MS);
    this.#steps.splice(0, Math.max(0, old));
  }

  #now(): Bounds {
    const atMs = performance.now();
    if (this.#answer && atMs - this.#answer.atMs < REUSE_MS) return this.#answer;
    const first = this.#steps.findLastIndex((step) => step.atMs <= atMs - WINDOW_MS);
    let low = Infinity;
    let high = -Infinity;
    for (const step of this.#steps.slice(Math.max(0, first))) {
      low = Math.min(low, step.low);
      high = Math.max(high, step.high);
    }
    this.#answer = { atMs, low, high };
    return this.#answer;
  }
}

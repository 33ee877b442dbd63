/** A number shown as live must be the committed one of some instant this recent (invariant 8). */
const WINDOW_MS = 15_000;

/** Every total that one writer has committed, and when: it may have been the committed one from `begunAtMs` on. */
export class TotalLog {
  readonly #steps: { readonly begunAtMs: number; readonly total: number; committedAtMs: number }[] = [];

  /** Runs a transaction, which returns the total that it leaves. */
  async write(transaction: () => Promise<number>): Promise<void> {
    const begunAtMs = performance.now();
    const total = await transaction();
    this.#steps.push({ begunAtMs, total, committedAtMs: performance.now() });
  }

  /** Whether `total`, shown at `atMs`, was the committed one at an instant of the 15 s before. */
  wasTrue(total: number, atMs: number): boolean {
    return this.#steps.some((step, index) => {
      const replacedAtMs = this.#steps[index + 1]?.committedAtMs ?? Infinity;
      return step.total === total && step.begunAtMs <= atMs && replacedAtMs >= atMs - WINDOW_MS;
    });
  }
}

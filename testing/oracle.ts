import { expect } from 'vitest';
import type { Showing } from './screen.ts';

/** A number shown as live must be the committed one of some instant this recent (invariant 8). */
const WINDOW_MS = 15_000;

/** Of one ticket that entered. Unix time, to the microsecond. */
export interface Commit {
  readonly begunAtMs: number;
  readonly committedAtMs: number;
}

interface Step {
  readonly atMs: number;
  readonly total: number;
}

/**
 * Knows which totals were the committed one, and when, as far as writers can know: between the start of a
 * transaction and its acknowledgement, both the total before and the one after may be it. Totals may rise and
 * fall, but one writer writes at a time, or all only add.
 */
export class Oracle {
  /** Totals that had begun to be written, and those known to be committed, by time. */
  readonly #begun: Step[];
  readonly #committed: Step[];

  constructor(total = 0) {
    const atMs = performance.now();
    this.#begun = [{ atMs, total }];
    this.#committed = [{ atMs, total }];
  }

  get total(): number {
    return this.#begun.at(-1)?.total ?? 0;
  }

  /** Runs one transaction that changes the total by `change`. If it fails, it must not have been committed. */
  async write<T>(change: number, transaction: () => Promise<T>): Promise<T> {
    this.#begun.push({ atMs: performance.now(), total: this.total + change });
    try {
      const result = await transaction();
      const last = this.#committed.at(-1)?.total ?? 0;
      this.#committed.push({ atMs: performance.now(), total: last + change });
      return result;
    } catch (error) {
      this.#begun.push({ atMs: performance.now(), total: this.total - change });
      throw error;
    }
  }

  /** As if each had been written here, one after the other. */
  add(commits: readonly Commit[]): void {
    for (const { begunAtMs, committedAtMs } of commits) {
      this.#begun.push({ atMs: begunAtMs - performance.timeOrigin, total: this.total + 1 });
      this.#committed.push({ atMs: committedAtMs - performance.timeOrigin, total: this.total });
    }
  }

  /** Fails if anything was shown as live that was not the committed total at an instant of the last 15 s. */
  expectNoLie(showings: readonly Showing[]): void {
    for (const showing of showings) {
      if (!showing.live) continue;
      const { low, high } = this.#range(showing.atMs - WINDOW_MS, showing.atMs);
      const isTrue = showing.total !== undefined && showing.total >= low && showing.total <= high;
      expect(isTrue, `${showing.total} was shown as live; the total was ${low} to ${high}`).toBe(true);
    }
  }

  #range(fromMs: number, toMs: number): { low: number; high: number } {
    const within = (steps: readonly Step[]): number[] => {
      const before = steps.findLast(({ atMs }) => atMs <= fromMs);
      const during = steps.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
      return [...(before ? [before] : []), ...during].map(({ total }) => total);
    };
    const totals = [...within(this.#committed), ...within(this.#begun)];
    return { low: Math.min(...totals), high: Math.max(...totals) };
  }
}

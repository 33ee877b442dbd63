/** A span in which the clock ran without being set. */
interface Run {
  /** The first and the last minute of the run, observed or not. */
  readonly fromMs: number;
  toMs: number;
}

const KEPT_RUNS = 1_000;

/** Tracks the minutes that the clock ran through. A minute that it ran through twice is not sixty seconds long. */
export class ClockRuns {
  readonly #earlier: Run[] = [];
  #current: Run | undefined;

  /** The clock has reached this minute without being set. */
  advanceTo(minuteMs: number): void {
    if (this.#current) this.#current.toMs = Math.max(this.#current.toMs, minuteMs);
    else this.#current = { fromMs: minuteMs, toMs: minuteMs };
  }

  /** The clock was set; without that it would be in this minute now. */
  end(minuteMs: number): void {
    if (!this.#current) return;
    this.advanceTo(minuteMs);
    this.#keep(this.#current);
    this.#current = undefined;
  }

  /** Marks the minute of a commit that counts in another minute, as if the clock had run through it. */
  visit(minuteMs: number): void {
    if (this.#through(minuteMs) === 0) this.#keep({ fromMs: minuteMs, toMs: minuteMs });
  }

  isRepeated(minuteMs: number): boolean {
    return this.#through(minuteMs) > 1;
  }

  #through(minuteMs: number): number {
    const isThrough = (run: Run | undefined) =>
      run !== undefined && run.fromMs <= minuteMs && minuteMs <= run.toMs;
    return this.#earlier.filter(isThrough).length + (isThrough(this.#current) ? 1 : 0);
  }

  #keep(run: Run): void {
    this.#earlier.push(run);
    if (this.#earlier.length > KEPT_RUNS) this.#earlier.shift();
  }
}

/** The clock is set between one run and the next. */
interface Run {
  /** The first and the last minute that it went through, watched or not. */
  readonly fromMs: number;
  toMs: number;
}

const KEPT_RUNS = 1_000;

/** Which minutes the clock went through, and which of them twice: such a minute is not sixty seconds. */
export class ClockRuns {
  readonly #earlier: Run[] = [];
  #current: Run | undefined;

  /** The clock is in this minute, and was not set since the last one. */
  goOn(minuteMs: number): void {
    if (this.#current) this.#current.toMs = Math.max(this.#current.toMs, minuteMs);
    else this.#current = { fromMs: minuteMs, toMs: minuteMs };
  }

  /** The clock was set; it would be in this minute now. */
  end(minuteMs: number): void {
    if (!this.#current) return;
    this.goOn(minuteMs);
    this.#keep(this.#current);
    this.#current = undefined;
  }

  /** Something was committed there that is counted elsewhere: as if the clock had been there. */
  visit(minuteMs: number): void {
    if (this.#through(minuteMs) === 0) this.#keep({ fromMs: minuteMs, toMs: minuteMs });
  }

  /** Whether it went through the minute more than once. */
  isSpoiled(minuteMs: number): boolean {
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

/** Tells on stderr how far a long job is: in place on a terminal, elsewhere a line now and then. */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY;
  readonly #intervalMs = this.#isTerminal ? 100 : 10_000;
  /** What is done sooner than that needs no telling. */
  #lastMs = performance.now();
  #isShown = false;

  /** The text is only made when it is shown. */
  show(text: () => string): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < this.#intervalMs) return;
    this.#lastMs = nowMs;
    this.#isShown = true;
    process.stderr.write(this.#isTerminal ? `\r\u001B[K${text()}` : `${text()}\n`);
  }

  /** Clears the line that is refreshed in place. */
  end(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write('\r\u001B[K');
  }
}

/** Reports progress on stderr: in place on a terminal, elsewhere in a line every ten seconds. */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY;
  readonly #intervalMs = this.#isTerminal ? 100 : 10_000;
  #lastMs = performance.now();
  #isShown = false;

  /** Calls `text` only if it is due. */
  show(text: () => string): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < this.#intervalMs) return;
    this.#lastMs = nowMs;
    this.#isShown = true;
    process.stderr.write(this.#isTerminal ? `\r\u001B[K${text()}` : `${text()}\n`);
  }

  end(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write('\r\u001B[K');
  }
}

/** Collects how to stop what a role has started; the newest is stopped first. */
export class Stops {
  readonly #stops: (() => Promise<unknown> | void)[] = [];

  add(...stops: readonly (() => Promise<unknown> | void)[]): void {
    this.#stops.push(...stops);
  }

  async stop(): Promise<void> {
    for (let last = this.#stops.pop(); last; last = this.#stops.pop()) await last();
  }

  /** Runs a start. If it fails, what it has started is stopped. */
  async during<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }
}

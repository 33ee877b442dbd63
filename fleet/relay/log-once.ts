import type { Logger } from 'pino';

/** No more than this many different errors of each kind are logged: a hostile sender could otherwise fill the disk. */
const MAX_PER_KIND = 100;

/** Logs each error once. Repetitions are counted in the metrics. */
export class LogOnce {
  readonly #log: Logger;
  readonly #logged = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Each `kind` has a limit of its own: a flood of one kind does not suppress the others. */
  error(kind: string, which: string, details: object, message: string): void {
    const logged = this.#logged.get(kind) ?? new Set<string>();
    this.#logged.set(kind, logged);
    if (logged.has(which) || logged.size >= MAX_PER_KIND) return;
    logged.add(which);
    this.#log.error(details, message);
  }
}

import type { Logger } from 'pino';

/** Of each kind so many different ones are told: whoever can send anything could else fill a disk. */
const MOST_OF_A_KIND = 100;

/** Tells each error once. What is repeated is counted in the metrics. */
export class LogOnce {
  readonly #log: Logger;
  readonly #told = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `kind` has room of its own: one that is told without end keeps no other one from being told. */
  error(kind: string, which: string, details: object, message: string): void {
    const told = this.#told.get(kind) ?? new Set<string>();
    this.#told.set(kind, told);
    if (told.has(which) || told.size >= MOST_OF_A_KIND) return;
    told.add(which);
    this.#log.error(details, message);
  }
}

import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { TicketMemory } from './ticket-memory.ts';

/** No more than LOGGED_IDS are logged in LOG_EVERY_MS, as an ID may be a barcode. */
const LOGGED_IDS = 5;
const LOG_EVERY_MS = 60_000;

/** Tickets that lack a field or have one of another type: how many there are, and some of their IDs in the log. */
export class MalformedWarning {
  readonly #memory: TicketMemory;
  readonly #log: Logger;
  #logged = 0;
  #logAgainAtMs = 0;

  constructor(memory: TicketMemory, log: Logger) {
    this.#memory = memory;
    this.#log = log;
  }

  get warning(): string | undefined {
    const { malformed, size } = this.#memory;
    if (malformed === 0) return undefined;
    return `${malformed} of ${size} tickets lack a field or have one of another type, and count as queries take them: the log names some`;
  }

  /** Must be called from time to time. */
  look(): void {
    const { malformed } = this.#memory;
    if (malformed === this.#logged || performance.now() < this.#logAgainAtMs) return;
    this.#logged = malformed;
    if (malformed === 0) return;
    this.#logAgainAtMs = performance.now() + LOG_EVERY_MS;
    const some = this.#memory.malformedIds(LOGGED_IDS);
    this.#log.warn({ malformed, some }, 'tickets lack a field, or have one of another type');
  }
}

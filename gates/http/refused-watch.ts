import type { Fault, RequestOutcome } from './request-outcome.ts';

/** The last refused message is named for so long after it. */
const NAMED_FOR_MS = 10 * 60_000;
const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 3;
const MAX_GATE_CHARACTERS = 66;

interface Refused {
  readonly since: string;
  readonly count: number;
  readonly last: Fault;
  readonly lastFrom: string;
  readonly lastAt: string;
  readonly untilMs: number;
}

/** Knows which messages are refused and who sent the last one. Logs the first of three senders a minute. */
export class RefusedWatch {
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #refused: Refused | undefined;
  #minuteEndsMs = 0;
  readonly #logged = new Set<string>();

  /** `now`: a monotonic clock. */
  constructor(log: (line: string) => void, now = (): number => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** `address`: of the client; '' where the messages had been kept. */
  note(eventId: string, { counts, fault }: RequestOutcome, address: string): void {
    if (!fault) return;
    const lastAt = new Date().toISOString();
    const { since = lastAt, count = 0 } = this.#current ?? {};
    const lastFrom = describeSender(fault, address);
    const nowMs = this.#now();
    const untilMs = nowMs + NAMED_FOR_MS;
    this.#refused = { since, count: count + counts.refused, last: fault, lastFrom, lastAt, untilMs };
    if (nowMs >= this.#minuteEndsMs) {
      this.#logged.clear();
      this.#minuteEndsMs = nowMs + LOG_EVERY_MS;
    }
    if (this.#logged.has(lastFrom) || this.#logged.size === MAX_LOGGED) return;
    this.#logged.add(lastFrom);
    this.#log(`event ${eventId}: a message${lastFrom} is refused: ${fault.detail.replaceAll('\n', ' ')}`);
  }

  /** Names the last one, with the fix; undefined where none was refused within ten minutes. */
  get warning(): string | undefined {
    if (!this.#current) return undefined;
    const { since, count, last, lastFrom, lastAt } = this.#current;
    const messages = count === 1 ? '1 message' : `${count} messages`;
    // What a trigger says may name a ticket.
    const why =
      last.reason === 'database' ? 'the database refuses it, for the reason in the log' : last.detail;
    return `Refused since ${since}: ${messages}, the last at ${lastAt}${lastFrom}, as ${why}. Correct what it sends`;
  }

  get #current(): Refused | undefined {
    return this.#refused && this.#now() < this.#refused.untilMs ? this.#refused : undefined;
  }
}

function describeSender({ gate }: Fault, address: string): string {
  if (gate === undefined || gate === null) return address === '' ? '' : ` from ${address}`;
  const named = JSON.stringify(gate).slice(0, MAX_GATE_CHARACTERS);
  return ` from the gate ${named}${address === '' ? '' : ` (${address})`}`;
}

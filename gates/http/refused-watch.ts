import { isEventId } from '../../domain/event.ts';
import type { Fault } from './request-outcome.ts';

/** The last refused message is named for so long after it. */
const NAMED_FOR_MS = 10 * 60_000;
const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 3;
const MAX_GATE_CHARACTERS = 66;

/** What is wrong with a request of which no message is read, by the status of its answer. It repeats nothing that was sent. */
const REQUEST_FAULTS: Readonly<Record<number, string>> = {
  400: 'its query or its body is malformed, or its body breaks off',
  401: 'the key, or the signature, is missing or wrong',
  404: 'its address is wrong, or has no event ID of 32 hexadecimal characters',
  405: 'its method is not POST',
  413: 'its body is too large',
  415: 'its content type is wrong, or its body is compressed',
  422: 'its body is no such webhook',
  429: 'the key, or the signature, was missing or wrong too often',
};

interface Refused {
  readonly since: string;
  readonly count: number;
  readonly last: Fault;
  readonly lastFrom: string;
  readonly lastAt: string;
  readonly untilMs: number;
}

/** Knows which messages, or whole requests, are refused and who sent the last one. Logs the first of three senders a minute. */
export class RefusedWatch {
  readonly #what: 'message' | 'request';
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  #refused: Refused | undefined;
  #minuteEndsMs = 0;
  readonly #logged = new Set<string>();

  /** `now`: a monotonic clock. */
  constructor(
    what: 'message' | 'request',
    log: (line: string) => void,
    now = (): number => performance.now(),
  ) {
    this.#what = what;
    this.#log = log;
    this.#now = now;
  }

  /** `address`: of the client; '' where the messages had been kept. */
  note(eventId: string, fault: Fault | undefined, refused: number, address: string): void {
    if (!fault) return;
    const lastAt = new Date().toISOString();
    const { since = lastAt, count = 0 } = this.#current ?? {};
    const lastFrom = describeSender(fault, address);
    const nowMs = this.#now();
    const untilMs = nowMs + NAMED_FOR_MS;
    this.#refused = { since, count: count + refused, last: fault, lastFrom, lastAt, untilMs };
    if (nowMs >= this.#minuteEndsMs) {
      this.#logged.clear();
      this.#minuteEndsMs = nowMs + LOG_EVERY_MS;
    }
    if (this.#logged.has(lastFrom) || this.#logged.size === MAX_LOGGED) return;
    this.#logged.add(lastFrom);
    const event = isEventId(eventId) ? `event ${eventId}: ` : '';
    this.#log(`${event}a ${this.#what}${lastFrom} is refused: ${fault.detail.replaceAll('\n', ' ')}`);
  }

  /** Notes a request that was answered with `status` before a message of it was read. */
  noteRequest(eventId: string, status: number, address: string): void {
    const detail = REQUEST_FAULTS[status];
    if (detail !== undefined) this.note(eventId, { reason: 'message', detail, gate: undefined }, 1, address);
  }

  /** Names the last one, with the fix; undefined where none was refused within ten minutes. */
  get warning(): string | undefined {
    if (!this.#current) return undefined;
    const { since, count, last, lastFrom, lastAt } = this.#current;
    const all = `${count} ${this.#what}${count === 1 ? '' : 's'}`;
    // What a trigger says may name a ticket.
    const why =
      last.reason === 'database' ? 'the database refuses it, for the reason in the log' : last.detail;
    const which = this.#what === 'message' ? 'the first of the last request' : 'the last';
    return `Refused since ${since}: ${all}, ${which} at ${lastAt}${lastFrom}, as ${why}. Correct what it sends`;
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

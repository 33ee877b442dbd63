import type { Logger } from 'pino';
import type { CountsSlice } from '../../domain/event-state.ts';
import type { EventProjection } from './event-projection.ts';

const CHECK_INTERVAL_MS = 2_000;
/** How many other events are named. */
const MAX_NAMED = 3;

/**
 * Detects that the displayed event has no ticket while others have some: a wrong EVENT_ID, or tickets of another event, look
 * like a match before its first admission. The check is periodic, so that no change costs more for it.
 */
export class EmptyEventWatch {
  readonly #eventId: string;
  readonly #projection: EventProjection;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isEmpty = false;

  constructor(eventId: string, projection: EventProjection, log: Logger) {
    this.#eventId = eventId;
    this.#projection = projection;
    this.#log = log;
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** The present warning; `undefined` if there is none. */
  get warning(): string | undefined {
    const events = this.#otherEvents();
    if (events.length === 0) return undefined;
    const sizes = events.slice(0, MAX_NAMED).map(({ eventId, tickets }) => `${eventId} has ${tickets}`);
    const more = events.length > MAX_NAMED ? `, and ${events.length - MAX_NAMED} more have some` : '';
    return (
      `The event ${this.#eventId} has no ticket, but ${sizes.join(', ')}${more}: ` +
      'correct EVENT_ID, or import the tickets into this event'
    );
  }

  /** Returns the events with tickets, the largest first, while the displayed one has none. */
  #otherEvents(): CountsSlice[] {
    if (this.#projection.state(this.#eventId).counts?.tickets !== 0) return [];
    return [...this.#projection.allCounts()]
      .filter(({ tickets }) => tickets > 0)
      .toSorted((a, b) => b.tickets - a.tickets);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { warning } = this;
    if ((warning !== undefined) === this.#isEmpty) return;
    this.#isEmpty = !this.#isEmpty;
    if (warning === undefined) this.#log.info('the event shown has tickets now, or no other event has any');
    else this.#log.warn({ reason: warning }, 'the event shown has no ticket');
  }
}

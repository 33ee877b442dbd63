import type { Logger } from 'pino';
import type { Board } from './board.ts';

const LOOK_EVERY_MS = 2_000;
/** So many other events are named. */
const NAMED = 3;

/**
 * Tells when the event that is shown has no ticket while others have some: a board with a wrong EVENT_ID, or tickets
 * that went to another event, look like a match before its first admission. It looks now and then, so that no change
 * costs more for it.
 */
export class EmptyEventWatch {
  readonly #eventId: string;
  readonly #board: Pick<Board, 'eventsInstead'>;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isEmpty = false;

  constructor(eventId: string, board: Pick<Board, 'eventsInstead'>, log: Logger) {
    this.#eventId = eventId;
    this.#board = board;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** As things are now; undefined while nothing is wrong. */
  get warning(): string | undefined {
    const events = this.#board.eventsInstead;
    if (events.length === 0) return undefined;
    const sizes = events.slice(0, NAMED).map(({ eventId, tickets }) => `${eventId} has ${tickets}`);
    const more = events.length > NAMED ? `, and ${events.length - NAMED} more have some` : '';
    return (
      `The event ${this.#eventId} has no ticket, but ${sizes.join(', ')}${more}: ` +
      'correct EVENT_ID, or import the tickets into this event'
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { warning } = this;
    if ((warning !== undefined) === this.#isEmpty) return;
    this.#isEmpty = !this.#isEmpty;
    if (warning === undefined) this.#log.info('the event shown has tickets now, or no other event has any');
    else this.#log.warn({ reason: warning }, 'the event shown has no ticket');
  }
}

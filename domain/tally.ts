import { isSectorCode, SECTOR_CODES, type SectorCode } from './sector.ts';

/** What of a ticket decides the counts; field names as in the specification. */
export interface Ticket {
  readonly isValidTicket: boolean;
  readonly entrou: boolean;
  readonly setor: string;
}

/** Admissions of one event at one commit. `total` is always the thirteen sectors + `others`. */
export interface Counts {
  /** Every ticket whose holder has entered, whatever its sector and validity. */
  readonly total: number;
  readonly sectors: Readonly<Record<SectorCode, number>>;
  /** Entered with a code that is none of the thirteen. */
  readonly others: number;
  /** Valid tickets, entered or not. */
  readonly valid: number;
}

/**
 * The running counts of one event. It holds no ticket: a change says what the ticket was before and is
 * after, so the memory it needs does not depend on how many tickets there are.
 */
export class Tally {
  #tickets = 0;
  #total = 0;
  #others = 0;
  #valid = 0;
  readonly #sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, 0])) as Record<SectorCode, number>;

  /** `weight` tickets that are alike appear (or, negative, disappear). */
  add(ticket: Ticket, weight: number): void {
    this.#tickets += weight;
    if (ticket.isValidTicket) this.#valid += weight;
    if (!ticket.entrou) return;
    this.#total += weight;
    if (isSectorCode(ticket.setor)) this.#sectors[ticket.setor] += weight;
    else this.#others += weight;
  }

  /** All there are, entered or not, valid or not. */
  get tickets(): number {
    return this.#tickets;
  }

  /** One ticket goes from `before` to `after`; `undefined` on either side means that it did not exist there. */
  change(before: Ticket | undefined, after: Ticket | undefined): void {
    if (before) this.add(before, -1);
    if (after) this.add(after, 1);
  }

  /** A copy that later changes do not touch. */
  counts(): Counts {
    return { total: this.#total, sectors: { ...this.#sectors }, others: this.#others, valid: this.#valid };
  }
}

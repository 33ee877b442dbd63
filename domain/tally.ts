/** What of a ticket decides the counts; field names as in the specification. */
export interface Ticket {
  readonly isValidTicket: boolean;
  readonly entrou: boolean;
  readonly setor: string;
}

/** Tickets that are alike; `setor: null` stands for all codes that are not kept apart. */
export type TicketKind = Omit<Ticket, 'setor'> & { readonly setor: string | null };

/** All tickets, those whose holder has entered, and those that are valid: each whatever the other two say. */
export interface TicketCounts {
  readonly tickets: number;
  readonly admitted: number;
  readonly valid: number;
}

interface CodeCounts extends TicketCounts {
  /** As written in the ticket. */
  readonly code: string;
}

/** One event at one commit. The totals are always those of `codes` and `rest` together. */
export interface TallyCounts extends TicketCounts {
  readonly codes: readonly CodeCounts[];
  /** Of all codes beyond the first MAX_CODES, or of more than MAX_CODE_LENGTH. */
  readonly rest: TicketCounts;
}

/** So many codes of an event are kept apart: there may be as many codes as tickets. */
export const MAX_CODES = 1_000;
/** Longer ones, which no sector has, are not: so that all counts of an event fit one message. */
const MAX_CODE_LENGTH = 64;

/** Tickets of one code, or of several. */
class Row {
  tickets = 0;
  admitted = 0;
  valid = 0;

  /** `weight` tickets that are alike appear (or, negative, disappear). */
  add({ isValidTicket, entrou }: TicketKind, weight: number): void {
    this.tickets += weight;
    if (entrou) this.admitted += weight;
    if (isValidTicket) this.valid += weight;
  }

  copy(): TicketCounts {
    return { tickets: this.tickets, admitted: this.admitted, valid: this.valid };
  }
}

class CodeRow extends Row {
  readonly code: string;
  /** What it was when it was copied last, as long as it is still that. */
  #copied: CodeCounts | undefined;

  constructor(code: string) {
    super();
    this.code = code;
  }

  override add(ticket: TicketKind, weight: number): void {
    super.add(ticket, weight);
    this.#copied = undefined;
  }

  override copy(): CodeCounts {
    this.#copied ??= { code: this.code, ...super.copy() };
    return this.#copied;
  }
}

/**
 * The running counts of one event. It holds no ticket: a change says what the ticket was before and is after, so the
 * memory it needs does not depend on how many tickets there are.
 */
export class Tally {
  readonly #total = new Row();
  readonly #rows: CodeRow[] = [];
  readonly #rowOf = new Map<string, CodeRow>();
  readonly #rest = new Row();

  /** `codes` are kept apart in any case; others as they come, up to MAX_CODES in all. */
  constructor(codes: readonly string[]) {
    for (const code of codes) this.#addRow(code);
  }

  /** `weight` tickets that are alike appear (or, negative, disappear). */
  add(ticket: TicketKind, weight: number): void {
    this.#total.add(ticket, weight);
    this.#row(ticket.setor).add(ticket, weight);
  }

  /** One ticket goes from `before` to `after`; `undefined` on either side means that it did not exist there. */
  change(before: Ticket | undefined, after: Ticket | undefined): void {
    if (before) this.add(before, -1);
    if (after) this.add(after, 1);
  }

  /** A copy that later changes do not touch. */
  counts(): TallyCounts {
    const codes = this.#rows.map((row) => row.copy());
    return { ...this.#total.copy(), codes, rest: this.#rest.copy() };
  }

  /** A code keeps the row that it had first. */
  #row(code: string | null): Row {
    if (code === null) return this.#rest;
    const isKept = this.#rows.length < MAX_CODES && code.length <= MAX_CODE_LENGTH;
    return this.#rowOf.get(code) ?? (isKept ? this.#addRow(code) : this.#rest);
  }

  #addRow(code: string): CodeRow {
    const row = new CodeRow(code);
    this.#rows.push(row);
    this.#rowOf.set(code, row);
    return row;
  }
}

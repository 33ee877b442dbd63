/** The fields of a ticket that decide the counts; their names are those of the specification. */
export interface Ticket {
  readonly isValidTicket: boolean;
  readonly entrou: boolean;
  readonly setor: string;
}

/** A kind of tickets; `setor: null` stands for all codes that are not counted separately. */
export type TicketKind = Omit<Ticket, 'setor'> & { readonly setor: string | null };

/** All tickets, those whose holder has entered, and those that are valid, independently of each other. */
export interface TicketCounts {
  readonly tickets: number;
  readonly admitted: number;
  readonly valid: number;
}

interface CodeCounts extends TicketCounts {
  /** As written in the ticket. */
  readonly code: string;
}

/** The counts of one event at one commit. The totals are always those of `codes` and `rest` together. */
export interface TallyCounts extends TicketCounts {
  readonly codes: readonly CodeCounts[];
  /** The counts of codes beyond the first MAX_CODES, or longer than MAX_CODE_LENGTH. */
  readonly rest: TicketCounts;
}

/** Whether one of these codes may be among the `rest`, so that its count is not known: there are more than MAX_CODES. */
export function lacksCode({ codes, rest }: TallyCounts, wanted: Iterable<string>): boolean {
  if (codes.length < MAX_CODES || rest.tickets === 0) return false;
  const counted = new Set(codes.map(({ code }) => code));
  return [...wanted].some((code) => !counted.has(code));
}

/** No more than this many codes of an event are counted separately: there may be as many codes as tickets. */
export const MAX_CODES = 1_000;
/** Longer codes, which no sector has, are not, so that all counts of an event fit one message. */
const MAX_CODE_LENGTH = 64;

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
  /** The last copy, while it is still valid. */
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
 * The running counts of one event. It holds no ticket, as a change has the ticket before and after: its memory does not depend
 * on the number of tickets.
 */
export class Tally {
  readonly #total = new Row();
  readonly #rows: CodeRow[] = [];
  readonly #rowOf = new Map<string, CodeRow>();
  readonly #rest = new Row();

  /** `codes` are always counted separately; others in the order of their arrival, up to MAX_CODES in all. */
  constructor(codes: readonly string[]) {
    for (const code of codes) this.#addRow(code);
  }

  /** `weight` tickets that are alike appear (or, negative, disappear). */
  add(ticket: TicketKind, weight: number): void {
    this.#total.add(ticket, weight);
    this.#row(ticket.setor).add(ticket, weight);
  }

  /** A ticket changes from `before` to `after`; `undefined` means that it did not exist. */
  change(before: Ticket | undefined, after: Ticket | undefined): void {
    if (before) this.add(before, -1);
    if (after) this.add(after, 1);
  }

  /** Returns a copy that later changes do not touch. */
  counts(): TallyCounts {
    const codes = this.#rows.map((row) => row.copy());
    return { ...this.#total.copy(), codes, rest: this.#rest.copy() };
  }

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

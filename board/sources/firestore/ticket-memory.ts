import type { Ticket, TicketKind } from '../../../domain/tally.ts';
import type { ObservedTicket, TicketChange, TicketGroup } from '../ticket-source.ts';
import type { TicketDocument } from './documents.ts';

/** A ticket in one number: three flags, and above them the place of its code. */
type Packed = number;

const [ENTERED, VALID, MALFORMED] = [1, 2, 4];
const FLAG_BITS = 3;
/** A document that is not there. */
const GONE = -1;

/** What came about tickets between two consistent snapshots of a stream, in its order. */
export class TicketBatch {
  readonly ids: string[] = [];
  readonly packed: Packed[] = [];
  readonly timesUs: number[] = [];
  /** It holds every ticket: what is not in it is gone. */
  readonly isWhole: boolean;

  constructor(isWhole: boolean) {
    this.isWhole = isWhole;
  }
}

export interface TimedChange extends TicketChange {
  readonly madeAtUs: number;
}

/** What a stream has at one read time. */
export interface TicketReading {
  readonly readTimeUs: number;
  /** The token from which a later stream resumes. */
  readonly resumeToken: Buffer | undefined;
  readonly tickets: TicketBatch;
}

/** Everything at one read time, in a form that later changes do not touch. */
export interface MemoryCopy {
  readonly readTimeUs: number;
  readonly resumeToken: Buffer;
  readonly ids: readonly string[];
  readonly packed: readonly Packed[];
  readonly codes: readonly string[];
}

/** Tickets that a count counts; a member that is missing does not matter. */
export interface CountedKind {
  readonly entrou?: true;
  readonly isValidTicket?: true;
  readonly setor?: string;
}

/**
 * The state of every ticket of an event, some sixty bytes each: a stream sends only what a ticket became, and a change needs
 * what it was before, too.
 */
export class TicketMemory {
  readonly #eventId: string;
  #tickets = new Map<string, Packed>();
  readonly #codes: string[] = [];
  readonly #placeOf = new Map<string, number>();
  #malformed = 0;
  #readTimeUs = 0;
  #resumeToken: Buffer | undefined;

  constructor(eventId: string) {
    this.#eventId = eventId;
  }

  get size(): number {
    return this.#tickets.size;
  }

  /** Everything that was committed until then is in it; 0: nothing has been read. */
  get readTimeUs(): number {
    return this.#readTimeUs;
  }

  /** Brings what was committed since then, or somewhat earlier. */
  get resumeToken(): Buffer | undefined {
    return this.#resumeToken;
  }

  /** How many tickets lack a field, or have one of another type. */
  get malformed(): number {
    return this.#malformed;
  }

  addTo(batch: TicketBatch, id: string, ticket: TicketDocument, updatedAtUs: number): void {
    batch.ids.push(id);
    batch.packed.push(this.#pack(ticket));
    batch.timesUs.push(updatedAtUs);
  }

  removeIn(batch: TicketBatch, id: string, removedAtUs: number): void {
    batch.ids.push(id);
    batch.packed.push(GONE);
    batch.timesUs.push(removedAtUs);
  }

  /** How many tickets there are once the batch has been applied. */
  sizeAfter({ ids, packed, isWhole }: TicketBatch): number {
    const isThere = new Map<string, boolean>();
    for (const [place, id] of ids.entries()) isThere.set(id, packed[place] !== GONE);
    let size = isWhole ? 0 : this.#tickets.size;
    for (const [id, isNow] of isThere) {
      const was = !isWhole && this.#tickets.has(id);
      size += Number(isNow) - Number(was);
    }
    return size;
  }

  /**
   * Applies what was read, and adds to `changes` what that changes in the counts. A ticket that is missing from a whole batch
   * is gone at the read time.
   */
  apply({ readTimeUs, resumeToken, tickets }: TicketReading, changes?: TimedChange[]): void {
    const { ids, packed, timesUs, isWhole } = tickets;
    this.#readTimeUs = readTimeUs;
    // A view of a message would keep all of it in memory.
    if (resumeToken) this.#resumeToken = Buffer.from(resumeToken);
    else if (isWhole) this.#resumeToken = undefined;
    const before = this.#tickets;
    const after = isWhole ? new Map<string, Packed>() : before;
    for (const [place, id] of ids.entries()) {
      const now = packed[place] ?? GONE;
      const was = after.get(id) ?? before.get(id) ?? GONE;
      if (now === GONE) {
        after.delete(id);
        before.delete(id);
      } else {
        after.set(id, now);
      }
      this.#replace(was, now, timesUs[place] ?? readTimeUs, changes);
    }
    if (!isWhole) return;
    for (const [id, was] of before) if (!after.has(id)) this.#replace(was, GONE, readTimeUs, changes);
    this.#tickets = after;
    changes?.sort((one, other) => one.madeAtUs - other.madeAtUs);
  }

  groups(): TicketGroup[] {
    const counts = new Map<Packed, number>();
    for (const packed of this.#tickets.values()) {
      const kind = packed & ~MALFORMED;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].map(([kind, count]) => {
      const ticket: TicketKind = this.#unpack(kind);
      return { eventId: this.#eventId, ticket, count };
    });
  }

  count({ entrou, isValidTicket, setor }: CountedKind): number {
    const flags = (entrou ? ENTERED : 0) | (isValidTicket ? VALID : 0);
    const code = setor === undefined ? undefined : this.#placeOf.get(setor);
    if (setor !== undefined && code === undefined) return 0;
    let count = 0;
    for (const packed of this.#tickets.values()) {
      if ((packed & flags) !== flags) continue;
      if (code === undefined || packed >> FLAG_BITS === code) count += 1;
    }
    return count;
  }

  malformedIds(limit: number): string[] {
    const ids: string[] = [];
    for (const [id, packed] of this.#tickets) {
      if (ids.length >= limit) break;
      if ((packed & MALFORMED) !== 0) ids.push(id);
    }
    return ids;
  }

  /** `undefined`: no stream could go on from it. */
  copy(): MemoryCopy | undefined {
    const [readTimeUs, resumeToken] = [this.#readTimeUs, this.#resumeToken];
    if (!resumeToken) return undefined;
    const [ids, packed] = [[...this.#tickets.keys()], [...this.#tickets.values()]];
    return { readTimeUs, resumeToken, ids, packed, codes: [...this.#codes] };
  }

  /** The next stream brings everything. */
  forgetToken(): void {
    this.#resumeToken = undefined;
  }

  /** Nothing has been read. */
  forget(): void {
    this.forgetToken();
    this.#readTimeUs = 0;
    this.#malformed = 0;
    this.#tickets.clear();
  }

  /** Replaces everything. */
  restore({ readTimeUs, resumeToken, ids, packed, codes }: MemoryCopy): void {
    this.#readTimeUs = readTimeUs;
    this.#resumeToken = resumeToken;
    this.#codes.length = 0;
    this.#placeOf.clear();
    for (const code of codes) this.#placeOfCode(code);
    this.#tickets = new Map(ids.map((id, place) => [id, packed[place] ?? 0]));
    this.#malformed = packed.reduce((count, each) => count + Number(isMalformed(each)), 0);
  }

  #replace(was: Packed, now: Packed, madeAtUs: number, changes: TimedChange[] | undefined): void {
    if (was === now) return;
    this.#malformed += Number(isMalformed(now)) - Number(isMalformed(was));
    // Whether a ticket is malformed changes no count.
    if (!changes || (was | MALFORMED) === (now | MALFORMED)) return;
    changes.push({ before: this.#observed(was), after: this.#observed(now), madeAtUs });
  }

  #observed(packed: Packed): ObservedTicket | undefined {
    return packed === GONE ? undefined : { ...this.#unpack(packed), eventId: this.#eventId };
  }

  #pack({ isValidTicket, entrou, setor, isMalformed: is }: TicketDocument): Packed {
    const flags = (entrou ? ENTERED : 0) | (isValidTicket ? VALID : 0) | (is ? MALFORMED : 0);
    return (this.#placeOfCode(setor) << FLAG_BITS) | flags;
  }

  #unpack(packed: Packed): Ticket {
    return {
      isValidTicket: (packed & VALID) !== 0,
      entrou: (packed & ENTERED) !== 0,
      setor: this.#codes[packed >> FLAG_BITS] ?? '',
    };
  }

  #placeOfCode(code: string): number {
    let place = this.#placeOf.get(code);
    if (place === undefined) {
      place = this.#codes.push(code) - 1;
      this.#placeOf.set(code, place);
    }
    return place;
  }
}

function isMalformed(packed: Packed): boolean {
  return packed !== GONE && (packed & MALFORMED) !== 0;
}

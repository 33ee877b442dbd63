import type { FirestoreLimits } from './limits.ts';
import type { Condition } from './requests.ts';
import type { CountedKind, TicketMemory } from './ticket-memory.ts';

/** Something that Firestore counts, too. */
interface Counted {
  /** In the words of a sentence: "the tickets of sector 4 that have entered". */
  readonly of: string;
  readonly kind: CountedKind;
}

export interface Check extends Counted {
  /** How many there are by our memory, at its read time. */
  readonly ours: number;
}

interface Difference extends Counted {
  readonly ours: number;
  readonly theirs: number;
  /** A reread of all tickets, which it requires once. */
  reading: 'due' | 'begun' | 'done' | 'in vain';
  dueAtMs: number;
}

const ENTERED = { of: 'the tickets that have entered', kind: { entrou: true } } as const;
const TOTALS: readonly Counted[] = [
  ENTERED,
  { of: 'the valid tickets', kind: { isValidTicket: true } },
  { of: 'the tickets', kind: {} },
];

/**
 * Holds Firestore's own counts against ours: one sector after the other, and the totals from time to time. After a
 * difference all tickets are read again; one that is still there then is a doubt, until a later count is equal.
 */
export class CountChecks {
  readonly #sectors: readonly Counted[];
  readonly #limits: FirestoreLimits;
  #nextSector = 0;
  #sectorDueAtMs: number;
  #totalsDueAtMs = -Infinity;
  readonly #totals: Counted[] = [];
  #difference: Difference | undefined;

  constructor(codes: readonly string[], limits: FirestoreLimits) {
    this.#limits = limits;
    this.#sectorDueAtMs = performance.now() + limits.sectorCheckEveryMs;
    this.#sectors = codes.map((setor) => ({
      of: `the tickets of sector ${setor} that have entered`,
      kind: { entrou: true, setor },
    }));
  }

  /** Why the counts are not to be believed, for the operator. */
  get doubt(): string | undefined {
    if (!this.#difference) return undefined;
    const { of, ours, theirs, reading } = this.#difference;
    const counted = `Firestore counts ${theirs} of ${of}, where its stream brought ${ours}`;
    if (reading === 'in vain')
      return `${counted}, also after all were read again: compare with the Firebase console, and start again`;
    return `${counted}: all tickets ${reading === 'done' ? 'were read again, and are counted once more' : 'are read again'}`;
  }

  /** A stream was opened: the totals are due; what the one before it was reading is not there. */
  restart(): void {
    this.#totalsDueAtMs = -Infinity;
    if (this.#difference?.reading === 'begun') this.#difference.reading = 'due';
  }

  /** All tickets have been read again. */
  haveReadAgain(): void {
    if (!this.#difference) return;
    this.#difference.reading = 'done';
    this.#difference.dueAtMs = -Infinity;
  }

  /** Returns the next comparison that is due, if there is one. */
  next(memory: TicketMemory): Check | undefined {
    const due = this.#due();
    return due && { of: due.of, kind: due.kind, ours: memory.count(due.kind) };
  }

  /** Takes Firestore's count. Returns whether all tickets are to be read again. */
  take({ of, kind, ours }: Check, theirs: number): boolean {
    const known = this.#difference?.of === of ? this.#difference : undefined;
    if (theirs === ours) {
      if (known) this.#difference = undefined;
      return false;
    }
    const before = known?.reading ?? 'due';
    const reading = before === 'due' ? 'begun' : before === 'done' ? 'in vain' : before;
    const dueAtMs = performance.now() + this.#limits.differenceCheckEveryMs;
    this.#difference = { of, kind, ours, theirs, reading, dueAtMs };
    return before === 'due';
  }

  #due(): Counted | undefined {
    const nowMs = performance.now();
    if (this.#difference) {
      if (nowMs < this.#difference.dueAtMs) return undefined;
      this.#difference.dueAtMs = nowMs + this.#limits.differenceCheckEveryMs;
      return this.#difference;
    }
    if (nowMs >= this.#totalsDueAtMs) {
      this.#totalsDueAtMs = nowMs + this.#limits.totalCheckEveryMs;
      this.#totals.splice(0, Infinity, ...TOTALS);
    }
    const total = this.#totals.shift();
    if (total || nowMs < this.#sectorDueAtMs) return total;
    this.#sectorDueAtMs = nowMs + this.#limits.sectorCheckEveryMs;
    const sector = this.#sectors[this.#nextSector % Math.max(1, this.#sectors.length)];
    this.#nextSector += 1;
    return sector;
  }
}

/** The same as conditions of a query. */
export function conditionsOf({ entrou, isValidTicket, setor }: CountedKind): Condition[] {
  return [
    ...(entrou ? [{ field: 'entrou', equals: true }] : []),
    ...(isValidTicket ? [{ field: 'isValidTicket', equals: true }] : []),
    ...(setor === undefined ? [] : [{ field: 'setor', equals: setor }]),
  ];
}

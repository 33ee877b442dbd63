import type postgres from 'postgres';
import type { Counts, Row } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { positionOf } from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import type { LiveState } from '../../page/live-state.ts';
import type { DisplayedState } from '../browser/screen.ts';

/** The counts of an event as SQL sees them now, in the rows of a venue: what every screen must show. */
export async function recount(
  sql: postgres.Sql,
  venueRows: readonly Row[] = DEFAULT_VENUE.sectors,
  eventId = DEFAULT_EVENT_ID,
): Promise<Counts> {
  const rows = await sql<{ setor: string; count: string }[]>`
    select setor, count(*) as count from tickets where event_id = ${eventId} and entrou group by setor`;
  const bySector = new Map(rows.map(({ setor, count }) => [setor, Number(count)]));
  const inRow = ({ codes }: Row): number => sumOf(codes.map((code) => bySector.get(code) ?? 0));
  const sectors = Object.fromEntries(venueRows.map((row) => [row.code, inRow(row)]));
  const total = sumOf(bySector.values());
  return { total, sectors, others: total - sumOf(Object.values(sectors)) };
}

function sumOf(counts: Iterable<number>): number {
  return [...counts].reduce((sum, count) => sum + count, 0);
}

/** A number shown as live must be the committed one of some instant this recent (invariant 8). */
const WINDOW_MS = 7_000;
/** Beyond this number of concurrent transactions, every total between the lowest and the highest counts as possible. */
const MAX_COMBINED = 4;

/** A transaction that admits `change` tickets, one by default. Unix time, to the microsecond. */
export interface Commit {
  readonly begunAtMs: number;
  readonly committedAtMs: number;
  readonly change?: number;
}

interface Step {
  readonly atMs: number;
  isPossible(total: number): boolean;
}

/**
 * Which totals may have been the committed one, and when, as far as writers can know: while a transaction is under way,
 * it may or may not have been committed. `keepMs`: nobody will ask about an instant longer ago.
 */
export class TotalHistory {
  readonly #keepMs: number;
  #steps: Step[] = [];
  #forgetAtSteps = 10_000;
  #committed = 0;
  #pending: number[] = [];

  constructor({ keepMs = Infinity } = {}) {
    this.#keepMs = keepMs;
    this.#note(-Infinity);
  }

  /** The total with all transactions that have begun. */
  get total(): number {
    return this.#pending.reduce((sum, change) => sum + change, this.#committed);
  }

  /** Runs one transaction that changes the total by `change`. If it fails, it must not have been committed. */
  async write<T>(change: number, transaction: () => Promise<T>): Promise<T> {
    this.#pending.push(change);
    this.#note(performance.now());
    try {
      const result = await transaction();
      this.#committed += change;
      return result;
    } finally {
      this.#pending.splice(this.#pending.indexOf(change), 1);
      this.#note(performance.now());
    }
  }

  /** Runs one transaction, beside no other, which returns the total that it leaves: known only once it has ended. */
  async writeTotal(transaction: () => Promise<number>): Promise<void> {
    const begunAtMs = performance.now();
    const total = await transaction();
    const change = total - this.#committed;
    this.#pending.push(change);
    this.#note(begunAtMs);
    this.#pending.pop();
    this.#committed = total;
    this.#note(performance.now());
  }

  /** Adds the transactions of another oracle. */
  add(commits: readonly Commit[]): void {
    const { timeOrigin } = performance;
    const steps = commits.flatMap(({ begunAtMs, committedAtMs, change = 1 }) => [
      { atMs: begunAtMs - timeOrigin, change, isCommitted: false },
      { atMs: committedAtMs - timeOrigin, change, isCommitted: true },
    ]);
    for (const { atMs, change, isCommitted } of steps.toSorted((a, b) => a.atMs - b.atMs)) {
      if (isCommitted) {
        this.#pending.splice(this.#pending.indexOf(change), 1);
        this.#committed += change;
      } else {
        this.#pending.push(change);
      }
      this.#note(atMs);
    }
  }

  /** Whether `total`, shown as live at `atMs`, was the committed one at an instant of the 7 s before. */
  allows(total: number, atMs: number): boolean {
    for (let index = this.#lastStepAt(atMs); index >= 0; index -= 1) {
      const step = this.#steps[index];
      if (step?.isPossible(total)) return true;
      if (!step || step.atMs <= atMs - WINDOW_MS) return false;
    }
    return false;
  }

  /**
   * What was shown as live, and was not the committed total at an instant of the 7 s before: neither when it was shown
   * first, nor for as long as it stayed, until the next one.
   */
  violationsOf(displayed: readonly DisplayedState[]): DisplayedState[] {
    return displayed.filter(({ live, total, atMs }, index) => {
      if (!live) return false;
      const untilMs = displayed[index + 1]?.atMs ?? atMs;
      return total === undefined || !this.allows(total, atMs) || !this.allows(total, untilMs);
    });
  }

  /** Its index; -1: there was none yet. */
  #lastStepAt(atMs: number): number {
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#steps[middle]?.atMs ?? Infinity) <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Nothing is noted as earlier than what was noted before it. */
  #note(notedMs: number): void {
    const atMs = Math.max(notedMs, this.#steps.at(-1)?.atMs ?? -Infinity);
    this.#steps.push({ atMs, isPossible: possibleTotals(this.#committed, this.#pending) });
    if (this.#keepMs === Infinity || this.#steps.length < this.#forgetAtSteps) return;
    const old = this.#steps.findLastIndex((step) => step.atMs < atMs - this.#keepMs);
    this.#steps.splice(0, Math.max(0, old));
    // Looked for seldom enough that it costs no writer anything.
    this.#forgetAtSteps = 2 * this.#steps.length + 10_000;
  }
}

/** Whether a total is `committed` and any of the pending changes. */
function possibleTotals(committed: number, pending: readonly number[]): Step['isPossible'] {
  if (pending.length <= MAX_COMBINED) {
    const totals = [committed];
    for (const change of pending) totals.push(...totals.map((total) => total + change));
    return (total) => totals.includes(total);
  }
  const low = pending.reduce((sum, change) => sum + Math.min(0, change), committed);
  const high = pending.reduce((sum, change) => sum + Math.max(0, change), committed);
  return (total) => total >= low && total <= high;
}

/** Watches one screen for numbers that do not add up, and a state of an earlier position after one of a later. */
export function watchForContradictions(onViolation: (violation: string) => void): (board: LiveState) => void {
  let last: string | undefined;
  return ({ shown }) => {
    if (!shown || shown.id === last) return;
    const { total, sectors, others } = shown.counts;
    const sum = Object.values(sectors).reduce((whole, count) => whole + count, others);
    if (sum !== total) onViolation(`${total} beside sectors and others of ${sum}`);
    if (last !== undefined && isEarlier(positionOf(shown.id), positionOf(last))) {
      onViolation(`${shown.id} after ${last}`);
    }
    last = shown.id;
  };
}

/**
 * As `watchForContradictions`, and for what is shown as live and was not committed of late. `patienceMs`: how long a
 * writer may take to know what it has committed.
 */
export function watchForViolations(
  history: TotalHistory,
  onViolation: (violation: string) => void,
  patienceMs = 0,
): (board: LiveState) => void {
  const watchForContradiction = watchForContradictions(onViolation);
  return (board) => {
    watchForContradiction(board);
    const total = board.shown?.counts.total;
    if (total === undefined || board.status.kind !== 'live') return;
    const atMs = performance.now();
    const check = (): void => {
      if (!history.allows(total, atMs)) onViolation(`${total} was shown as live`);
    };
    if (patienceMs > 0) setTimeout(check, patienceMs);
    else check();
  };
}

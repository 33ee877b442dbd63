import type { LogEntry, Mark, TakeBackReason } from './flow-log.ts';
import { MINUTE_MS } from '../series/minute.ts';

/** What an operator said of a sector, unless that was a mistake. */
export interface SectorMark {
  /** Of its entry. */
  readonly id: string;
  readonly mark: Mark;
  /** Null: of all of them. */
  readonly sector: string | null;
  readonly sinceMs: number;
  readonly by: string | null;
  /** Absent while it is in force. */
  readonly endedAtMs?: number;
  /** The newest; absent without one. */
  readonly estimate?: Estimate;
}

/** How many passed unread under a mark, as somebody says: beside the count, never in it. */
interface Estimate {
  readonly count: number;
  /** By what it was estimated. */
  readonly how: string;
  readonly by: string | null;
  readonly atMs: number;
}

type EntryOf<K extends LogEntry['kind']> = Extract<LogEntry, { kind: K }>;

/** People enter and are not counted here. Where the entry is suspended, nobody enters: the count is right. */
export function makesIncomplete(mark: Mark): boolean {
  return mark !== 'suspended';
}

/** Where desks said nothing of it, a mark that was taken back so soon was a slip of the hand. */
const SLIP_MS = 2 * MINUTE_MS;

/** Whether a mark that was taken back ended then, or was a mistake: entries of older desks do not say. */
export function whyTakenBack(mark: LogEntry, { atMs, data }: EntryOf<'take-back'>): TakeBackReason {
  return data.why ?? (atMs - mark.atMs <= SLIP_MS ? 'mistake' : 'ended');
}

/** The marks of a log, entry by entry. A mark that has ended stays: people who passed unread stay uncounted. */
export class MarkReader {
  readonly #marks = new Map<string, EntryOf<'mark'>>();
  readonly #endedAtMs = new Map<string, number>();
  /** By their own ids. */
  readonly #estimates = new Map<string, EntryOf<'estimate'>>();

  add(entry: EntryOf<'mark' | 'estimate'>): void {
    if (entry.kind === 'mark') this.#marks.set(entry.id, entry);
    else this.#estimates.set(entry.id, entry);
  }

  /** Returns whether that leaves a mark which has ended; else nothing of the entry holds any more. */
  takeBack(entry: EntryOf<'take-back'>): boolean {
    const { id } = entry.data;
    this.#estimates.delete(id);
    const mark = this.#marks.get(id);
    if (!mark) return false;
    if (whyTakenBack(mark, entry) === 'mistake') {
      this.#marks.delete(id);
      return false;
    }
    if (!this.#endedAtMs.has(id)) this.#endedAtMs.set(id, entry.atMs);
    return true;
  }

  /** In the order in which they were set. */
  read(): readonly SectorMark[] {
    const estimates = new Map<string, Estimate>();
    for (const { data, by, atMs } of this.#estimates.values())
      estimates.set(data.mark, { count: data.count, how: data.how, by, atMs });
    return [...this.#marks.values()].map((entry) => {
      const { id, data, by, atMs } = entry;
      const estimate = estimates.get(id) ?? (data.estimate && { ...data.estimate, by, atMs });
      return markOf(entry, this.#endedAtMs.get(id), estimate);
    });
  }
}

function markOf(
  { id, data, sector, by, atMs }: EntryOf<'mark'>,
  endedAtMs: number | undefined,
  estimate: Estimate | undefined,
): SectorMark {
  return {
    id,
    mark: data.mark,
    sector,
    // What is said of later is said of now.
    sinceMs: Math.min(data.sinceMs ?? atMs, atMs),
    by,
    ...(endedAtMs !== undefined && { endedAtMs }),
    ...(estimate && { estimate }),
  };
}

import type { LogEntry, Mark, TakeBackReason } from './flow-log.ts';
import { MINUTE_MS } from '../series/minute.ts';

/** A mark that an operator set on a sector and that was no mistake. */
export interface SectorMark {
  /** The id of its entry. */
  readonly id: string;
  readonly mark: Mark;
  /** Null for all sectors. */
  readonly sector: string | null;
  readonly sinceMs: number;
  readonly by: string | null;
  /** Absent while the mark is active. */
  readonly endedAtMs?: number;
  /** The newest estimate, if there is one. */
  readonly estimate?: Estimate;
}

/** An operator's estimate of how many passed unread under a mark; it never enters the count. */
interface Estimate {
  readonly count: number;
  /** The operator's words on how they estimated. */
  readonly how: string;
  readonly by: string | null;
  readonly atMs: number;
}

type EntryOf<K extends LogEntry['kind']> = Extract<LogEntry, { kind: K }>;

/** Whether people enter uncounted under the mark. Where the entry is suspended, nobody enters. */
export function makesIncomplete(mark: Mark): boolean {
  return mark !== 'suspended';
}

/** A mark that was taken back so soon, without `why`, counts as a mistake. */
const SLIP_MS = 2 * MINUTE_MS;

/** Returns why this entry was taken back: an evacuation was in force until then, and what is no mark was a mistake. */
export function whyTakenBack(
  entry: Pick<LogEntry, 'kind' | 'atMs'>,
  { atMs, data }: EntryOf<'take-back'>,
): TakeBackReason {
  if (entry.kind === 'evacuation') return 'ended';
  if (entry.kind !== 'mark') return 'mistake';
  return data.why ?? (atMs - entry.atMs <= SLIP_MS ? 'mistake' : 'ended');
}

/** Reads the marks of a log, entry by entry. Ended marks stay: people who passed unread stay uncounted. */
export class MarkReader {
  readonly #marks = new Map<string, EntryOf<'mark'>>();
  readonly #endedAtMs = new Map<string, number>();
  /** Estimates by their own ids. */
  readonly #estimates = new Map<string, EntryOf<'estimate'>>();

  add(entry: EntryOf<'mark' | 'estimate'>): void {
    if (entry.kind === 'mark') this.#marks.set(entry.id, entry);
    else this.#estimates.set(entry.id, entry);
  }

  /** Returns whether the entry is a mark that has ended; otherwise nothing of it remains. */
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

  /** Returns the marks in the order in which they were set. */
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
    // A time in the future counts as now.
    sinceMs: Math.min(data.sinceMs ?? atMs, atMs),
    by,
    ...(endedAtMs !== undefined && { endedAtMs }),
    ...(estimate && { estimate }),
  };
}

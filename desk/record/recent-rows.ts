import type { LogEntry, LogRow } from '../model/log/flow-log.ts';

/** As long as a minute: halves of a fleet may be parted for as long, each with a primary of its own. */
const KEPT_MS = 24 * 60 * 60_000;
const MAX_ROWS = 20_000;

/** Rows that were seen in the log of the last day: what a database that took another one's place may lack. */
export class RecentRows {
  readonly #rows = new Map<string, { readonly row: LogRow; readonly seenAtMs: number }>();

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  add(rows: readonly LogRow[]): void {
    const seenAtMs = performance.now();
    for (const row of rows) this.#rows.set(row.id, { row, seenAtMs });
    for (const [id, oldest] of this.#rows) {
      if (this.#rows.size <= MAX_ROWS && seenAtMs - oldest.seenAtMs <= KEPT_MS) break;
      this.#rows.delete(id);
    }
  }

  /** Those that a whole log lacks, in their order, as they were when they were written. */
  missingIn(log: readonly LogRow[]): LogEntry[] {
    const there = new Set(log.map(({ id }) => id));
    const missing = [...this.#rows.values()].filter(({ row }) => !there.has(row.id));
    return missing.map(({ row: { seq: _seq, previous: _previous, ...entry } }) => entry as LogEntry);
  }
}

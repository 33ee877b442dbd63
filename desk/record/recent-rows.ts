import type { LogEntry, LogRow } from '../model/log/flow-log.ts';

/** Minutes are kept as long: the halves of a fleet may be separated for this long, each with its own primary. */
const KEPT_MS = 24 * 60 * 60_000;
const MAX_ROWS = 20_000;

/** Rows of the log that were seen within the last day: a database that has replaced another one may lack them. */
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

  /** Returns the rows that a whole log lacks, in order, as entries. */
  missingIn(log: readonly LogRow[]): LogEntry[] {
    const there = new Set(log.map(({ id }) => id));
    const missing = [...this.#rows.values()].filter(({ row }) => !there.has(row.id));
    return missing.map(({ row: { seq: _seq, previous: _previous, ...entry } }) => entry as LogEntry);
  }
}

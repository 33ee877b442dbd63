import { placeOf, type Row } from '../../domain/event-state.ts';
import { type CodesOfRows, FormerRows } from '../model/former-rows.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import { makesIncomplete } from '../model/log/marks.ts';

/**
 * Gives what was noted of a row of a former venue to the row of now that counts its codes. Where several do, a mark under which
 * people pass unread is of the whole ground, so that nothing looks complete that is not; anything else stays with the name of
 * the row. Entries must come in the order of the log.
 */
export class RowsOfLog {
  readonly #rows: readonly Row[];
  /** Those of the server that started last. */
  #former = new FormerRows();

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  /** The codes of the venue of now. */
  get codes(): CodesOfRows {
    return Object.fromEntries(this.#rows.map(({ code, codes }) => [code, codes]));
  }

  /** The log is read from its beginning. */
  begin(): void {
    this.#former = new FormerRows();
  }

  /** Keeps in each entry that is of another row now what it was recorded of. */
  place<E extends LogEntry>(entries: readonly E[]): readonly E[] {
    return entries.map((entry) => {
      if (entry.kind === 'started') this.#former = new FormerRows(entry.data.codes);
      if (entry.sector === null) return entry;
      const sector = this.#placeOne(entry.sector, entry);
      return sector === entry.sector ? entry : Object.assign({}, entry, { sector, recordedOf: entry.sector });
    });
  }

  #placeOne(name: string, entry: LogEntry): string | null {
    const [only, ...more] = this.#former.placesOf(name, this.#rows);
    if (only !== undefined && more.length === 0) return this.#nameOf(only);
    const isOfAll = entry.kind === 'mark' && makesIncomplete(entry.data.mark);
    return isOfAll ? null : this.#nameOf(placeOf(name, this.#rows));
  }

  #nameOf(place: number): string {
    return this.#rows[place]?.code ?? '';
  }
}

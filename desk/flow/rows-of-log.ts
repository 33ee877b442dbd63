import { type Row, placeOf } from '../../domain/event-state.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import { makesIncomplete } from '../model/log/marks.ts';

/** The codes that each row of a venue counts, by what names the row. */
export type CodesOfRows = Readonly<Record<string, readonly string[]>>;

/**
 * Gives what was noted of a row of a former venue to the row of now that counts its codes. Where several do, a mark under which
 * people pass unread is of the whole ground: nothing may look complete that is not. What was noted before logs named the codes
 * is of the row that counts the former row's name as a code. Entries must come in the order of the log.
 */
export class RowsOfLog {
  readonly #rows: readonly Row[];
  /** Those of the server that started last, by row. */
  #former: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  /** The codes of the venue of now. */
  get codes(): CodesOfRows {
    return Object.fromEntries(this.#rows.map(({ code, codes }) => [code, codes]));
  }

  /** The log is read from its beginning. */
  begin(): void {
    this.#former = undefined;
  }

  /** Keeps in each entry that is of another row now what it was recorded of. */
  place<E extends LogEntry>(entries: readonly E[]): readonly E[] {
    return entries.map((entry) => {
      if (entry.kind === 'started')
        this.#former = entry.data.codes && new Map(Object.entries(entry.data.codes));
      if (entry.sector === null) return entry;
      const sector = this.#placeOne(entry.sector, entry);
      return sector === entry.sector ? entry : Object.assign({}, entry, { sector, recordedOf: entry.sector });
    });
  }

  #placeOne(code: string, entry: LogEntry): string | null {
    const former = this.#former?.get(code);
    const counting = former
      ? former.map((each) => this.#rowCounting(each))
      : [this.#nameOf(placeOf(code, this.#rows))];
    // What no row counted was of the others, and may be of a row by now.
    if (code === '' && this.#former) counting.push(...this.#newRows([...this.#former.values()].flat()));
    const [only, ...more] = new Set(counting);
    if (only !== undefined && more.length === 0) return only;
    const isOfAll = entry.kind === 'mark' && makesIncomplete(entry.data.mark);
    return isOfAll ? null : this.#nameOf(placeOf(code, this.#rows));
  }

  /** The names of the rows that count codes which none of those is. */
  #newRows(codes: readonly string[]): string[] {
    const known = new Set(codes);
    return this.#rows.flatMap(({ code, codes: counted }) =>
      counted.some((each) => !known.has(each)) ? [code] : [],
    );
  }

  #rowCounting(code: string): string {
    return this.#rows.find(({ codes }) => codes.includes(code))?.code ?? '';
  }

  #nameOf(place: number): string {
    return this.#rows[place]?.code ?? '';
  }
}

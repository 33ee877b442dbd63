import { placeOf, type Row } from '../../domain/event-state.ts';

/** The codes that each row of a venue counts, by what names the row. */
export type CodesOfRows = Readonly<Record<string, readonly string[]>>;

/** The rows of a venue that was used before. Without their codes, the name of a row is taken for a code. */
export class FormerRows {
  readonly #codes: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(codes?: CodesOfRows) {
    this.#codes = codes && new Map(Object.entries(codes));
  }

  /**
   * Returns the places in `rows` where the tickets of a former row may be counted now, each once; `rows.length` is that of the
   * others. `name`: '' for what no row counted, of which there may be a row by now.
   */
  placesOf(name: string, rows: readonly Row[]): readonly number[] {
    const codes = this.#codes?.get(name);
    const places = codes ? codes.map((code) => placeCounting(code, rows)) : [placeOf(name, rows)];
    if (name === '' && this.#codes) {
      const known = new Set([...this.#codes.values()].flat());
      for (const [place, row] of rows.entries())
        if (row.codes.some((code) => !known.has(code))) places.push(place);
    }
    return [...new Set(places)];
  }
}

function placeCounting(code: string, rows: readonly Row[]): number {
  const place = rows.findIndex(({ codes }) => codes.includes(code));
  return place < 0 ? rows.length : place;
}

import { knownCodes, type Venue } from '../../../domain/venue.ts';
import { quoteValue } from '../../cli/errors.ts';

const MAX_LISTED = 20;
/** Further codes are counted together: a wrong column may have another value in each line. */
const MOST_CODES = 1_000;

/** Counts the tickets whose sector the venue does not know. */
export class UnknownSectors {
  readonly #known: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();
  #tickets = 0;

  constructor(venue: Venue) {
    this.#known = knownCodes(venue);
  }

  add(setor: string): void {
    if (this.#known.has(setor)) return;
    this.#tickets += 1;
    const count = this.#counts.get(setor);
    if (count !== undefined || this.#counts.size < MOST_CODES) this.#counts.set(setor, (count ?? 0) + 1);
  }

  /** Returns no lines where all sectors are known. */
  describe(): string[] {
    if (this.#tickets === 0) return [];
    const codes = [...this.#counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const listed = codes.slice(0, MAX_LISTED);
    const left = this.#tickets - listed.reduce((sum, [, count]) => sum + count, 0);
    const others = `${codes.length === MOST_CODES ? 'at least ' : ''}${codes.length - listed.length}`;
    return [
      `${this.#tickets} ${this.#tickets === 1 ? 'ticket names' : 'tickets name'} a sector that the board does not know: counted in its total only.`,
      ...listed.map(([code, count]) => `  ${quoteValue(code)}: ${count}`),
      ...(left > 0 ? [`  and ${left} in ${others} more`] : []),
      'VENUE_FILE names the codes of each sector of the screen; without it, the thirteen built-in ones count.',
    ];
  }
}

import type { EarlierMatch } from './earlier-match.ts';
import { MAX_MATCHES } from './limits.ts';
import { RowHistory } from './row-history.ts';
import { restCurve } from './rest-curve.ts';

export interface EarlierMatchesOptions {
  /** The ID of today's event, which is left out. */
  readonly eventId: string;
  /** Matches in any order, of any venue; unsuitable ones are left out. */
  readonly matches: readonly EarlierMatch[];
  /** The codes of today's sectors in order, '' for the others. */
  readonly codes: readonly string[];
  /** Whether today's match is simulated: ranges never mix simulated and real matches. */
  readonly isSimulated: boolean;
}

/** The newest earlier matches, by row. */
export class EarlierMatches {
  readonly total: RowHistory;
  readonly sectors: readonly RowHistory[];
  readonly #newest: readonly EarlierMatch[];
  /** Histories by the codes that are left out. */
  readonly #rests = new Map<string, RowHistory>();

  constructor({ eventId, matches, codes, isSimulated }: EarlierMatchesOptions) {
    const newest = matches
      .filter((match) => match.isSimulated === isSimulated && match.eventId !== eventId)
      .toSorted((a, b) => b.kickOffAtMs - a.kickOffAtMs)
      .slice(0, MAX_MATCHES);
    this.#newest = newest;
    this.total = new RowHistory(newest.flatMap(({ total }) => total ?? []));
    this.sectors = codes.map((code, place) => {
      const curves = newest.flatMap(({ sectors }) => sectors.get(code) ?? []);
      return new RowHistory(curves, place / codes.length);
    });
  }

  /** Returns the history of the ground without some of its sectors; a mark asks for it every ten seconds, so it is kept. */
  rest(without: readonly string[]): RowHistory {
    const key = JSON.stringify(without);
    const codes = new Set(without);
    const rest =
      this.#rests.get(key) ?? new RowHistory(this.#newest.flatMap((match) => restCurve(match, codes) ?? []));
    this.#rests.set(key, rest);
    return rest;
  }
}

import type { EarlierMatch } from './earlier-match.ts';
import { MOST_MATCHES } from './limits.ts';
import { PlaceHistory } from './place-history.ts';
import { restCurve } from './rest-curve.ts';

export interface EarlierMatchesOptions {
  /** Of today's event, which is no base of its own. */
  readonly eventId: string;
  /** In any order, of any venue; those that do not fit are left out. */
  readonly matches: readonly EarlierMatch[];
  /** Of the sectors today, in the order of their places: the venue's rows, '' for the others. */
  readonly codes: readonly string[];
  /** Whether today's match is invented: ranges never mix invented matches with real ones. */
  readonly isSimulated: boolean;
}

/** What forecasts of one event are made from: the newest matches, by place. */
export class EarlierMatches {
  readonly total: PlaceHistory;
  readonly sectors: readonly PlaceHistory[];
  readonly #newest: readonly EarlierMatch[];
  /** By the codes that are left out. */
  readonly #rests = new Map<string, PlaceHistory>();

  constructor({ eventId, matches, codes, isSimulated }: EarlierMatchesOptions) {
    const newest = matches
      .filter((match) => match.isSimulated === isSimulated && match.eventId !== eventId)
      .toSorted((a, b) => b.kickOffAtMs - a.kickOffAtMs)
      .slice(0, MOST_MATCHES);
    this.#newest = newest;
    this.total = new PlaceHistory(newest.flatMap(({ total }) => total ?? []));
    this.sectors = codes.map((code, place) => {
      const curves = newest.flatMap(({ sectors }) => sectors.get(code) ?? []);
      return new PlaceHistory(curves, place / codes.length);
    });
  }

  /** Returns the history of the ground without some of its sectors; a mark asks for it every ten seconds, so it is kept. */
  rest(without: readonly string[]): PlaceHistory {
    const key = JSON.stringify(without);
    const codes = new Set(without);
    const rest =
      this.#rests.get(key) ??
      new PlaceHistory(this.#newest.flatMap((match) => restCurve(match, codes) ?? []));
    this.#rests.set(key, rest);
    return rest;
  }
}

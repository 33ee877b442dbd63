import type { EarlierMatch } from './earlier-match.ts';
import { CURVE_FROM_MIN, MAX_MATCHES } from './limits.ts';
import { RowHistory } from './row-history.ts';
import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { sumOf } from './curve-value.ts';
import { CURVE_LENGTH, type MatchCurve } from './match-curve.ts';

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

/** Returns the curve of a match without some of its sectors; null if another one is missing. */
function restCurve({ sectors, missing }: EarlierMatch, without: ReadonlySet<string>): MatchCurve | null {
  if (missing.some((code) => !without.has(code))) return null;
  const curves = [...sectors].flatMap(([code, curve]) => (without.has(code) ? [] : [curve]));
  if (curves.length === 0) return null;
  const fromMin = Math.max(...curves.map((curve) => curve.fromMin));
  const toMin = Math.min(...curves.map((curve) => curve.toMin));
  const known = (column: Float64Array): Float64Array =>
    column.map(
      (_, index) => column[Math.min(Math.max(index, fromMin + CURVE_FROM_MIN), toMin + CURVE_FROM_MIN)] ?? 0,
    );
  const admitted = known(sumOf(curves.map((curve) => curve.admitted)));
  return {
    admitted,
    valid: known(sumOf(curves.map((curve) => curve.valid))),
    fromMin,
    toMin,
    bestRate: bestRateOf(admitted, curves),
  };
}

/** Returns the steepest five minutes of the curve, which includes late batches, limited to the sum of the sectors' best rates. */
function bestRateOf(admitted: Float64Array, curves: readonly MatchCurve[]): number | null {
  const rates = curves.flatMap(({ bestRate }) => bestRate ?? []);
  if (rates.length === 0) return null;
  let steepest = 0;
  for (let index = SUSTAINED_MINUTES; index < CURVE_LENGTH; index += 1) {
    const entered = (admitted[index] ?? 0) - (admitted[index - SUSTAINED_MINUTES] ?? 0);
    steepest = Math.max(steepest, entered / SUSTAINED_MINUTES);
  }
  return Math.min(
    steepest,
    rates.reduce((sum, rate) => sum + rate, 0),
  );
}

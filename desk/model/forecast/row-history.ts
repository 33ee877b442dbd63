import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { type Correction, expectedError, fitCorrection, readSigns, type SignedError } from './correction.ts';
import { meanOf, sumOf, valueAt } from './curve-value.ts';
import { innerErrors } from './inner-errors.ts';
import { findLateness, type SeenShare, shiftedShare } from './lateness.ts';
import {
  ALL_CAME_MIN,
  COMPARED_MIN,
  CORRECTED_FROM_MIN,
  CURVE_FROM_MIN,
  MIN_MATCHES,
  SHIFT_FROM_MIN,
} from './limits.ts';
import type { MatchCurve } from './match-curve.ts';
import { logit, shareOf } from './share.ts';
import type { UsualCurve } from './usual-curve.ts';

/** Asks which share of those pending at one minute to kick-off is in by another. */
export interface ShareQuestion {
  readonly atMin: number;
  readonly targetMin: number;
  /** Today's shares at COMPARED_MIN; if one is missing, the curve is not shifted. */
  readonly seen: readonly SeenShare[];
}

/** `low <= middle <= high`, between 0 and 1. */
export interface ShareRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly matches: number;
  /** The shift of the curve in minutes; null without one. */
  readonly lateness: number | null;
}

/** Some matches by index, the mean of their shares, and the means without each of them. */
interface Base {
  readonly places: readonly number[];
  readonly mean: Float64Array;
  readonly meansWithout: readonly Float64Array[];
  /** Errors by target and whole minute, with and without a shift. */
  readonly shiftedErrors: TwoKeyMemo<Errors>;
  readonly plainErrors: TwoKeyMemo<Errors>;
}

/** Errors on the logit scale when each match of a base is forecast from the others. */
interface Errors {
  /** The correction that comes first, if any. */
  readonly correction: Correction | null;
  /** The interval of errors that contains another match. */
  readonly inner: readonly [low: number, high: number];
}

/**
 * The earlier matches of a row: one sector, or the whole ground. A match yields the share of those pending who got in; leaving
 * each match out in turn yields the error for another one. Results that do not depend on today are computed once a minute.
 */
export class RowHistory {
  readonly #curves: readonly MatchCurve[];
  readonly #phase: number;
  /** The admitted share of the valid tickets, by match. */
  readonly #shares: readonly Float64Array[];
  /** The base of all matches, which most questions need. */
  readonly #ofAll: Base | undefined;
  /** Bases by the indexes of their matches. */
  readonly #bases = new Map<string, Base>();
  /** Bases by first and last whole minute. */
  readonly #usualBases = new TwoKeyMemo<Base | undefined>();
  /** Bases by target and whole minute. */
  readonly #askedBases = new TwoKeyMemo<Base | undefined>();
  readonly bestRate: number | null;
  /** The mean final share of the valid tickets, and its number of matches; null with too few. */
  readonly coming: { readonly share: number; readonly matches: number } | null;

  /** `phase`: the part of a minute by which its minutes begin later, so that not all rows compute their errors at once. */
  constructor(curves: readonly MatchCurve[], phase = 0) {
    this.#curves = curves;
    this.#phase = phase;
    this.#shares = curves.map(({ admitted, valid }) =>
      admitted.map((count, index) => count / Math.max(1, valid[index] ?? 0)),
    );
    this.bestRate = maxOf(curves.flatMap(({ bestRate }) => (bestRate === null ? [] : [bestRate])));
    const whole = this.#shares.filter((_, place) => (curves[place]?.toMin ?? 0) >= ALL_CAME_MIN);
    this.coming =
      whole.length < MIN_MATCHES
        ? null
        : { share: (sumOf(whole).at(-1) ?? 0) / whole.length, matches: whole.length };
    const all = [...curves.keys()];
    this.#ofAll = all.length < MIN_MATCHES ? undefined : this.#makeBase(all);
  }

  /** Returns the mean share of the valid tickets at a minute to kick-off; null with too few matches. */
  usualShare(min: number): number | null {
    const base = this.#usualBase(min, min);
    return base ? valueAt(base.mean, min) : null;
  }

  /** Returns the mean share of the valid tickets that enters per minute, over five minutes; null with too few matches. */
  usualPerMinute(min: number): number | null {
    const fromMin = min - SUSTAINED_MINUTES;
    const base = this.#usualBase(fromMin, min);
    return base ? (valueAt(base.mean, min) - valueAt(base.mean, fromMin)) / SUSTAINED_MINUTES : null;
  }

  /** Returns the mean shares of matches that cover five minutes before and the rest; null with too few matches. */
  usualAfter(min: number): Float64Array | null {
    return this.#usualBase(min - SUSTAINED_MINUTES, Math.max(ALL_CAME_MIN, min))?.mean ?? null;
  }

  /** Returns null with fewer than MIN_MATCHES. */
  usualCurve(): UsualCurve | null {
    const base = this.#baseOf(() => true);
    if (!base) return null;
    const fromMin = Math.max(...this.#curves.map((curve) => curve.fromMin));
    const toMin = Math.min(...this.#curves.map((curve) => curve.toMin));
    const shares = base.mean.slice(fromMin + CURVE_FROM_MIN, toMin + CURVE_FROM_MIN + 1);
    return { matches: base.places.length, fromMin, shares: [...shares] };
  }

  /** Returns null if fewer than MIN_MATCHES cover the question. */
  answer(question: ShareQuestion): ShareRange | null {
    const { atMin, targetMin, seen } = question;
    const base = this.#askedBases.get(targetMin, Math.floor(atMin), () =>
      this.#askedBase(Math.floor(atMin), targetMin),
    );
    if (!base) return null;
    const placeMin = atMin - this.#phase;
    const isShifted = placeMin >= -SHIFT_FROM_MIN && seen.length === COMPARED_MIN.length;
    const lateness = isShifted ? findLateness(base.mean, seen) : null;
    const share =
      lateness === null
        ? shareOf(medianOf(this.#logitsIn(base.places, atMin, targetMin).toSorted()))
        : shiftedShare(base.mean, lateness, [atMin, targetMin]);
    const minute = Math.floor(placeMin);
    const errors = isShifted ? base.shiftedErrors : base.plainErrors;
    const { correction, inner } = errors.get(targetMin, minute, () =>
      isShifted ? this.#shiftedErrors(base, minute, targetMin) : this.#plainErrors(base, minute, targetMin),
    );
    const [least, most] = inner;
    const isCorrected = correction !== null && lateness !== null;
    const middle =
      logit(share) + (isCorrected ? expectedError(correction, readSigns(base.mean, lateness, seen)) : 0);
    const [low, high] = [shareOf(middle + least), shareOf(middle + most)];
    return {
      low,
      // If all errors are on one side, the matches show that the share is off.
      middle: Math.min(high, Math.max(low, shareOf(middle))),
      high,
      matches: base.places.length,
      lateness,
    };
  }

  /** Returns the base of matches that cover all minutes between two. */
  #usualBase(firstMin: number, lastMin: number): Base | undefined {
    const [fromMin, toMin] = [Math.floor(firstMin), Math.ceil(lastMin)];
    return this.#usualBases.get(fromMin, toMin, () =>
      this.#baseOf((curve) => fromMin >= curve.fromMin && toMin <= curve.toMin),
    );
  }

  /** Returns the base of matches that cover a minute, those compared with it, and the target. */
  #askedBase(minute: number, targetMin: number): Base | undefined {
    const firstMin = Math.max(-CURVE_FROM_MIN, minute - COMPARED_MIN[0]);
    return this.#baseOf(
      (curve) => curve.fromMin <= firstMin && curve.toMin >= targetMin && pendingAt(curve, minute) >= 1,
    );
  }

  /** Returns the base of matches that qualify; undefined with too few. */
  #baseOf(qualifies: (curve: MatchCurve) => boolean): Base | undefined {
    if (this.#curves.every(qualifies)) return this.#ofAll;
    const places = this.#curves.flatMap((curve, place) => (qualifies(curve) ? [place] : []));
    if (places.length < MIN_MATCHES) return undefined;
    const key = places.join();
    const base = this.#bases.get(key) ?? this.#makeBase(places);
    this.#bases.set(key, base);
    return base;
  }

  #makeBase(places: readonly number[]): Base {
    const shares = places.flatMap((place) => this.#shares[place] ?? []);
    const sum = sumOf(shares);
    return {
      places,
      mean: meanOf(sum, shares.length),
      meansWithout: shares.map((own) => meanOf(sum, shares.length, own)),
      shiftedErrors: new TwoKeyMemo(),
      plainErrors: new TwoKeyMemo(),
    };
  }

  #plainErrors(base: Base, minute: number, targetMin: number): Errors {
    const logits = this.#logitsIn(base.places, minute, targetMin);
    const sorted = logits.toSorted();
    const errors = logits.map((own) => own - logit(shareOf(medianOf(sorted, sorted.indexOf(own)))));
    return { correction: null, inner: innerErrors(errors.toSorted()) };
  }

  #shiftedErrors(base: Base, minute: number, targetMin: number): Errors {
    const logits = this.#logitsIn(base.places, minute, targetMin);
    const matches = Array.from(logits, (own, index) =>
      this.#shiftedError(base, index, [minute, targetMin], own),
    );
    const isCorrected = minute >= -CORRECTED_FROM_MIN;
    // Each match is corrected by the others, as today's is.
    const errors = Float64Array.from(matches, ({ error, signs }, index) =>
      isCorrected ? error - expectedError(fitCorrection(matches, index), signs) : error,
    );
    return {
      correction: isCorrected ? fitCorrection(matches) : null,
      inner: innerErrors(errors.toSorted()),
    };
  }

  #shiftedError(
    { places, meansWithout }: Base,
    index: number,
    [atMin, targetMin]: readonly [atMin: number, targetMin: number],
    logitThen: number,
  ): SignedError {
    const own = this.#shares[places[index] ?? -1];
    const others = meansWithout[index];
    if (!own || !others) throw new RangeError(`there is no match ${index}`);
    const seen = COMPARED_MIN.map((ago) => ({ min: atMin - ago, share: valueAt(own, atMin - ago) }));
    const lateness = findLateness(others, seen);
    return {
      signs: readSigns(others, lateness, seen),
      error: logitThen - logit(shiftedShare(others, lateness, [atMin, targetMin])),
    };
  }

  /** Returns, by match, the logit of the share of those pending at a minute who were in by another. */
  #logitsIn(places: readonly number[], atMin: number, targetMin: number): Float64Array {
    const logits = new Float64Array(places.length);
    for (const [index, place] of places.entries()) {
      const curve = this.#curves[place];
      if (!curve) throw new RangeError(`there is no match ${place}`);
      const came = valueAt(curve.admitted, targetMin) - valueAt(curve.admitted, atMin);
      logits[index] = logit(came / Math.max(1, pendingAt(curve, atMin)));
    }
    return logits;
  }
}

function pendingAt({ admitted, valid }: MatchCurve, min: number): number {
  return valueAt(valid, min) - valueAt(admitted, min);
}

/** Returns the median of sorted values, optionally without the one at an index. */
function medianOf(sorted: Float64Array, without = Infinity): number {
  const half = (without === Infinity ? sorted.length : sorted.length - 1) / 2;
  const valueOf = (rank: number): number => sorted[rank < without ? rank : rank + 1] ?? 0;
  return (valueOf(Math.ceil(half) - 1) + valueOf(Math.floor(half))) / 2;
}

function maxOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

/** Caches a value for each pair of numbers. */
class TwoKeyMemo<V> {
  readonly #values = new Map<number, Map<number, V>>();

  get(first: number, second: number, make: () => V): V {
    let row = this.#values.get(first);
    if (!row) this.#values.set(first, (row = new Map<number, V>()));
    const known = row.get(second);
    if (known !== undefined || row.has(second)) return known as V;
    const made = make();
    row.set(second, made);
    return made;
  }
}

import { meanOf, sumOf, valueAt } from './curve-value.ts';
import { innerErrors } from './inner-errors.ts';
import { findLateness, type SeenShare, shiftedShare } from './lateness.ts';
import { ALL_CAME_MIN, COMPARED_MIN, CURVE_FROM_MIN, LEAST_MATCHES, SHIFT_FROM_MIN } from './limits.ts';
import type { MatchCurve } from './match-curve.ts';
import { logit, shareOf } from './share.ts';
import type { UsualCurve } from './usual-curve.ts';

/** What is asked: of those pending at one minute to kick-off, which share is in by another. */
export interface ShareQuestion {
  readonly atMin: number;
  readonly targetMin: number;
  /** Today's, COMPARED_MIN ago; without one of them nothing is shifted. */
  readonly seen: readonly SeenShare[];
}

/** `low <= middle <= high`, between 0 and 1. */
export interface ShareRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly matches: number;
  /** In minutes; null where the curve was not shifted. */
  readonly lateness: number | null;
}

/** Some of the matches, and the mean of their shares: of all, and without each. */
interface Base {
  readonly key: string;
  readonly places: readonly number[];
  readonly mean: Float64Array;
  readonly meansWithout: readonly Float64Array[];
}

/**
 * The earlier matches of one sector, or of the whole ground. A match tells the share of those pending then who got in; how
 * wrong that is for another match is found by leaving each out in turn. That does not depend on today: it is kept.
 */
export class PlaceHistory {
  readonly #curves: readonly MatchCurve[];
  readonly #phase: number;
  /** Admitted of the valid. */
  readonly #shares: readonly Float64Array[];
  readonly #bases = new Map<string, Base>();
  readonly #errors = new Map<string, readonly number[]>();
  /** The best mean of five minutes of all matches, per minute. */
  readonly bestRate: number | null;
  /** Which share of the valid tickets comes in the end, on average, and how many matches say so; null: too few. */
  readonly coming: { readonly share: number; readonly matches: number } | null;

  /** `phase`: by which part of a minute its minutes begin later, so that not all places compute their errors at once. */
  constructor(curves: readonly MatchCurve[], phase = 0) {
    this.#curves = curves;
    this.#phase = phase;
    this.#shares = curves.map(({ admitted, valid }) =>
      admitted.map((count, index) => count / Math.max(1, valid[index] ?? 0)),
    );
    this.bestRate = maxOf(curves.flatMap(({ bestRate }) => (bestRate === null ? [] : [bestRate])));
    const whole = this.#shares.filter((_, place) => (curves[place]?.toMin ?? 0) >= ALL_CAME_MIN);
    this.coming =
      whole.length < LEAST_MATCHES
        ? null
        : { share: (sumOf(whole).at(-1) ?? 0) / whole.length, matches: whole.length };
    // What most questions need, so that the first one waits no longer than the others.
    this.#baseOf(() => true);
  }

  /** The mean share of the valid tickets at a minute to kick-off; null where too few matches tell. */
  usualShare(min: number): number | null {
    const base = this.#baseOf((curve) => min >= curve.fromMin && min <= curve.toMin);
    return base ? valueAt(base.mean, min) : null;
  }

  /** Null where there are fewer than LEAST_MATCHES. */
  usualCurve(): UsualCurve | null {
    const base = this.#baseOf(() => true);
    if (!base) return null;
    const fromMin = Math.max(...this.#curves.map((curve) => curve.fromMin));
    const toMin = Math.min(...this.#curves.map((curve) => curve.toMin));
    const shares = base.mean.slice(fromMin + CURVE_FROM_MIN, toMin + CURVE_FROM_MIN + 1);
    return { matches: base.places.length, fromMin, shares: [...shares] };
  }

  /** Null where fewer than LEAST_MATCHES tell. */
  answer(question: ShareQuestion): ShareRange | null {
    const { atMin, targetMin, seen } = question;
    const firstMin = Math.max(-CURVE_FROM_MIN, atMin - COMPARED_MIN[0]);
    const base = this.#baseOf(
      (curve) =>
        curve.fromMin <= firstMin && curve.toMin >= targetMin && pendingAt(curve, Math.floor(atMin)) >= 1,
    );
    if (!base) return null;
    const placeMin = atMin - this.#phase;
    const isShifted = placeMin >= -SHIFT_FROM_MIN && seen.length === COMPARED_MIN.length;
    const lateness = isShifted ? findLateness(base.mean, seen) : null;
    const share =
      lateness === null
        ? medianShare(this.#sharesIn(base.places, atMin, targetMin))
        : shiftedShare(base.mean, lateness, [atMin, targetMin]);
    const errors = this.#errorsOf(base, Math.floor(placeMin), targetMin, isShifted);
    const [least, most] = innerErrors(errors);
    const [low, high] = [shareOf(logit(share) + least), shareOf(logit(share) + most)];
    return {
      low,
      // Where all errors are to one side, the matches say that the share is off.
      middle: Math.min(high, Math.max(low, shareOf(logit(share)))),
      high,
      matches: base.places.length,
      lateness,
    };
  }

  /** Of those that qualify; undefined where there are too few. */
  #baseOf(qualifies: (curve: MatchCurve) => boolean): Base | undefined {
    const places = this.#curves.flatMap((curve, place) => (qualifies(curve) ? [place] : []));
    if (places.length < LEAST_MATCHES) return undefined;
    const key = places.join();
    let base = this.#bases.get(key);
    if (!base) {
      const shares = places.flatMap((place) => this.#shares[place] ?? []);
      const sum = sumOf(shares);
      const meansWithout = shares.map((own) => meanOf(sum, shares.length, own));
      base = { key, places, mean: meanOf(sum, shares.length), meansWithout };
      this.#bases.set(key, base);
    }
    return base;
  }

  /** What each match is off, on the logit, when it is forecast from the others, smallest first. */
  #errorsOf(base: Base, atMin: number, targetMin: number, isShifted: boolean): readonly number[] {
    const key = `${base.key}@${atMin}>${targetMin}${isShifted ? ' shifted' : ''}`;
    let errors = this.#errors.get(key);
    if (!errors) {
      const shares = this.#sharesIn(base.places, atMin, targetMin);
      errors = shares
        .map((share, index) => {
          const expected = isShifted
            ? this.#shiftedWithout(base, index, atMin, targetMin)
            : medianShare(shares.toSpliced(index, 1));
          return logit(share) - logit(expected);
        })
        .toSorted((a, b) => a - b);
      this.#errors.set(key, errors);
    }
    return errors;
  }

  #shiftedWithout({ places, meansWithout }: Base, index: number, atMin: number, targetMin: number): number {
    const own = this.#shares[places[index] ?? -1];
    const others = meansWithout[index];
    if (!own || !others) throw new RangeError(`there is no match ${index}`);
    const seen = COMPARED_MIN.map((ago) => ({ min: atMin - ago, share: valueAt(own, atMin - ago) }));
    return shiftedShare(others, findLateness(others, seen), [atMin, targetMin]);
  }

  #sharesIn(places: readonly number[], atMin: number, targetMin: number): readonly number[] {
    return places.flatMap((place) => {
      const curve = this.#curves[place];
      if (!curve) return [];
      const came = valueAt(curve.admitted, targetMin) - valueAt(curve.admitted, atMin);
      return [came / Math.max(1, pendingAt(curve, atMin))];
    });
  }
}

function pendingAt({ admitted, valid }: MatchCurve, min: number): number {
  return valueAt(valid, min) - valueAt(admitted, min);
}

function medianShare(shares: readonly number[]): number {
  const sorted = shares.map(logit).toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return shareOf(((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2);
}

function maxOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

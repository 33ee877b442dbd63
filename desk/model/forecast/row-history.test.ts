import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainRowHistory } from '../../../testing/desk/plain-row-history.ts';
import { crowd } from '../../../testing/desk/recorded-match.ts';
import { COMPARED_MIN, CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH, type MatchCurve } from './match-curve.ts';
import { RowHistory } from './row-history.ts';

const curve = fc
  .record({
    valid: fc.integer({ min: 0, max: 5_000 }),
    share: fc.double({ min: 0, max: 1.05, noNaN: true }),
    centre: fc.integer({ min: -80, max: 10 }),
    scale: fc.integer({ min: 1, max: 25 }),
    fromMin: fc.constantFrom(-120, -120, -120, -100, -62),
    toMin: fc.constantFrom(60, 60, 60, 28, 4, -3),
  })
  .map(({ valid, share, centre, scale, fromMin, toMin }): MatchCurve => {
    const admittedAt = crowd(valid * share, centre, scale);
    return {
      admitted: Float64Array.from({ length: CURVE_LENGTH }, (_, index) => admittedAt(index - CURVE_FROM_MIN)),
      valid: new Float64Array(CURVE_LENGTH).fill(valid),
      fromMin,
      toMin,
      bestRate: null,
    };
  });

const question = fc
  .record({
    /** Boundaries of ten seconds, and moments between them. */
    tenSeconds: fc.integer({ min: -6 * 120, max: -1 }),
    part: fc.constantFrom(0, 0, 0, 0.03),
    targetMin: fc.constantFrom(0, 0, 10, 15, 30, 2.5),
    shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
  })
  .map(({ tenSeconds, part, targetMin, shares }) => {
    const atMin = tenSeconds / 6 + part;
    const seen = COMPARED_MIN.map((ago, place) => ({ min: atMin - ago, share: shares[place] ?? 0 }));
    return { atMin, targetMin, seen };
  });

test('whatever is asked, in whatever order, is answered to the last digit as if nothing were kept', () => {
  let told = 0;
  fc.assert(
    fc.property(
      fc.array(curve, { maxLength: 14 }),
      fc.constantFrom(0, 0.25, 0.9),
      fc.array(question, { minLength: 1, maxLength: 12 }),
      (curves, phase, questions) => {
        const kept = new RowHistory(curves, phase);
        const plain = new PlainRowHistory(curves, phase);
        const unseen = questions.map((asked) => ({ ...asked, seen: asked.seen.slice(1) }));
        // Twice: what is kept answers the second time.
        for (const asked of [...questions, ...unseen, ...questions]) {
          const answer = kept.answer(asked);
          if (answer) told += 1;
          expect(answer).toEqual(plain.answer(asked));
          expect(kept.usualShare(asked.atMin)).toBe(plain.usualShare(asked.atMin));
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(told).toBeGreaterThan(100);
});

import { expect, test } from 'vitest';
import { crowd, earlierMatch } from '../../../testing/desk/recorded-match.ts';
import type { MatchCurve } from './match-curve.ts';
import { RowHistory } from './row-history.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);

function curveOf(coming: number, watched: { fromMin?: number; toMin?: number } = {}): MatchCurve {
  const sectors = [{ code: '7', valid: 4_000, admittedAt: crowd(coming, -20) }];
  const { total } = earlierMatch({ kickOffAtMs: KICK_OFF_MS, sectors, ...watched });
  if (!total) throw new Error('no curve');
  return total;
}

test('the usual curve is the mean share of the earlier matches, minute by minute', () => {
  const history = new RowHistory([3_000, 3_200, 3_700].map((coming) => curveOf(coming)));
  const usual = history.usualCurve();
  expect(usual).toMatchObject({ matches: 3, fromMin: -120 });
  expect(usual?.shares).toHaveLength(181);
  for (const min of [-120, -61, -30, 0, 60]) {
    const mean = [3_000, 3_200, 3_700].reduce((sum, coming) => sum + crowd(coming, -20)(min) / 4_000, 0) / 3;
    expect(usual?.shares[min + 120]).toBeCloseTo(mean, 10);
    expect(usual?.shares[min + 120]).toBe(history.usualShare(min));
  }
});

test('it begins and ends where the first of them is not known: no match joins or leaves on the way', () => {
  const curves = [curveOf(3_000, { fromMin: -75 }), curveOf(3_200, { toMin: 12 }), curveOf(3_700)];
  const usual = new RowHistory(curves).usualCurve();
  expect(usual?.fromMin).toBe(-75);
  expect(usual?.shares).toHaveLength(75 + 12 + 1);
});

test('fewer than three earlier matches have none', () => {
  expect(new RowHistory([3_000, 3_200].map((coming) => curveOf(coming))).usualCurve()).toBeNull();
});

import { describe, expect, it } from 'vitest';
import { arrivalMinute, GATES_OPEN_MINUTE, LAST_ARRIVAL_MINUTE } from './arrival-curve.ts';

describe('arrivalMinute', () => {
  it('opens two hours before kick-off and ends a quarter of an hour after it', () => {
    expect(arrivalMinute(0)).toBe(GATES_OPEN_MINUTE);
    expect(arrivalMinute(1)).toBeCloseTo(LAST_ARRIVAL_MINUTE, 3);
  });

  it('has 44% in a quarter of an hour before kick-off, as at Castelão', () => {
    expect(arrivalMinute(0.44)).toBeCloseTo(-15, 0);
    expect(arrivalMinute(0.439)).toBeLessThan(-15);
  });

  it('never goes back in time', () => {
    const minutes = Array.from({ length: 1_001 }, (_, index) => arrivalMinute(index / 1_000));
    expect(minutes).toEqual(minutes.toSorted((a, b) => a - b));
  });
});

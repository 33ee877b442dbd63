import { describe, expect, it } from 'vitest';
import { formatAge, formatCount } from './number-format.ts';

describe('numbers as they are read in Brazil', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1204, '1.204'],
    [31_482, '31.482'],
    [10_000_000, '10.000.000'],
  ])('%i is %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    [0, '0 s'],
    [42_999, '42 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [90_000_000, '25 h'],
  ])('of %i ms is %s', (ageMs, text) => {
    expect(formatAge(ageMs)).toBe(text);
  });
});

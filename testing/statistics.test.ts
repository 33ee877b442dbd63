import { describe, expect, test } from 'vitest';
import { median, percentile } from './statistics.ts';

describe('the median', () => {
  test('is the middle value, in whatever order they come', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([7])).toBe(7);
    expect(median([100, 20, 3])).toBe(20);
  });

  test('of an even number is the mean of the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test('of nothing is an error, not a number', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});

describe('a percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  test('is the smallest value that this share does not exceed', () => {
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile([3, 1, 2], 0.99)).toBe(3);
  });

  test('reaches from the smallest to the largest', () => {
    expect(percentile(hundred, 0)).toBe(1);
    expect(percentile(hundred, 1)).toBe(100);
  });

  test('of nothing is an error, not a number', () => {
    expect(() => percentile([], 0.99)).toThrow('nothing was measured');
  });
});

import { describe, expect, test } from 'vitest';
import { isMet } from './figure.ts';
import { formatNumber, overviewOf, tableOf } from './table.ts';

const latency = { what: 'delay, p99', unit: 'ms', values: [30, 10, 20] };

describe('a target', () => {
  test('is met or not by the median, not by the best round', () => {
    expect(isMet({ ...latency, target: { atMost: 20 } })).toBe(true);
    expect(isMet({ ...latency, target: { atMost: 19.9 } })).toBe(false);
    expect(isMet({ ...latency, target: { atLeast: 20 } })).toBe(true);
    expect(isMet({ ...latency, target: { atLeast: 20.1 } })).toBe(false);
    expect(isMet({ ...latency, target: { from: 20, to: 25 } })).toBe(true);
    expect(isMet({ ...latency, target: { from: 20.1, to: 25 } })).toBe(false);
    expect(isMet({ ...latency, target: { from: 15, to: 19.9 } })).toBe(false);
  });

  test('that is not set can be neither', () => {
    expect(isMet(latency)).toBeUndefined();
  });
});

describe('the table', () => {
  test('shows median, range, target and verdict of each figure, in columns', () => {
    const table = tableOf([
      { ...latency, target: { atMost: 15 } },
      { what: 'changes', unit: 'changes/s', values: [123_456.7], target: { atLeast: 100_000 } },
      { what: 'plain', unit: '×', values: [1.25, 1.5] },
      { what: 'share', unit: '%', values: [80], target: { from: 75, to: 90 } },
    ]);
    expect(table).toBe(
      [
        '| what       | median            | min – max  | target              |         |',
        '| ---------- | ----------------- | ---------- | ------------------- | ------- |',
        '| delay, p99 | 20 ms             | 10 – 30    | ≤ 15 ms             | NOT met |',
        '| changes    | 123,457 changes/s | one value  | ≥ 100,000 changes/s | met     |',
        '| plain      | 1.375 ×           | 1.25 – 1.5 |                     |         |',
        '| share      | 80 %              | one value  | 75 – 90 %           | met     |',
      ].join('\n'),
    );
  });
});

test('the overview shows of each benchmark what has something to reach', () => {
  const results = [
    { name: 'latency', figures: [{ ...latency, target: { atMost: 15 } }, latency] },
    { name: 'bulk', figures: [{ what: 'changes', unit: '/s', values: [5], target: { atLeast: 4 } }] },
  ];
  expect(overviewOf(results)).toBe(
    [
      '| name      | what       | median | min – max | target  |         |',
      '| --------- | ---------- | ------ | --------- | ------- | ------- |',
      '| `latency` | delay, p99 | 20 ms  | 10 – 30   | ≤ 15 ms | NOT met |',
      '| `bulk`    | changes    | 5 /s   | one value | ≥ 4 /s  | met     |',
    ].join('\n'),
  );
});

test('a number keeps four digits, and all of its whole ones', () => {
  expect([0.98712, 16.7, 0, -2.34567, 1_234.5, 1_000_000].map(formatNumber)).toEqual([
    '0.9871',
    '16.7',
    '0',
    '-2.346',
    '1,235',
    '1,000,000',
  ]);
});

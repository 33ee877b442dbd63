import { expect, test } from 'vitest';
import { type Minute, MINUTE_MS, type MinuteOfSector } from '../../model/series/minute.ts';
import { sparklinePath } from './sparkline-path.ts';

const END_MS = 100 * MINUTE_MS;

function minute(ago: number, net: number, lots = 0): Minute {
  return { minuteMs: END_MS - ago * MINUTE_MS, sectors: [{ net, lots } as MinuteOfSector] };
}

test('the path is scaled to its own maximum, a gap breaks it, and a single minute is a dot', () => {
  const path = sparklinePath([minute(30, 10), minute(29, 20), minute(10, 5), minute(1, 20)], 0, END_MS);
  expect(path).toBe('M0 12h0L4.1 0M82.8 18h0M120 0h0');
});

test('late batches and negative flow count as 0, and older minutes are not drawn', () => {
  const path = sparklinePath([minute(31, 500), minute(3, 412, 402), minute(2, -7), minute(1, 5)], 0, END_MS);
  expect(path).toBe('M111.7 0h0L115.9 24L120 12');
});

test('without minutes or admissions there is no line', () => {
  expect(sparklinePath([minute(3, 0), minute(2, 400, 400), minute(1, -3)], 0, END_MS)).toBe('');
  expect(sparklinePath([], 0, END_MS)).toBe('');
  expect(sparklinePath([minute(2, 5)], 7, END_MS)).toBe('');
});

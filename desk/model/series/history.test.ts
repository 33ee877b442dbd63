import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHistory, toHistory } from './history.ts';
import type { Minute } from './minute.ts';

const count = fc.integer({ min: -9, max: 9_999 });
const countOrNull = fc.option(count);
const sector = fc.record({
  admitted: count,
  net: count,
  entered: countOrNull,
  reverted: countOrNull,
  moved: countOrNull,
  valid: count,
  lots: count,
});
const minutes: fc.Arbitrary<Minute[]> = fc.array(
  fc.record({ minuteMs: fc.nat(), sectors: fc.tuple(sector, sector) }),
);

test('the minutes that were put in columns are read from them', () => {
  fc.assert(
    fc.property(minutes, (sentMinutes) => {
      const sent: unknown = JSON.parse(JSON.stringify(toHistory(sentMinutes, ['4', ''])));
      expect(fromHistory(sent)).toEqual(sentMinutes);
    }),
  );
});

test('what is no history is refused', () => {
  for (const value of [
    null,
    {},
    { minuteMs: [1], sectors: [{ code: '4' }] },
    { minuteMs: ['1'], sectors: [] },
  ]) {
    expect(() => fromHistory(value)).toThrow('malformed history');
  }
});

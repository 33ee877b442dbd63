import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCurve } from './curve.ts';
import { findGaps } from './gaps.ts';
import { type Minute, MINUTE_MS } from './minute.ts';

const START_MS = Date.UTC(2026, 4, 3, 18, 0);

/** What entered each minute, in two sectors, and which of the minutes were observed. */
const anyDay = fc.array(fc.record({ nets: fc.tuple(fc.nat(50), fc.nat(50)), isConfirmed: fc.boolean() }), {
  maxLength: 40,
});

function confirmedMinutes(
  day: readonly { nets: readonly number[]; isConfirmed: boolean }[],
): readonly Minute[] {
  const admitted = [0, 0];
  const minutes = day.map(({ nets }, place) => ({
    minuteMs: START_MS + place * MINUTE_MS,
    sectors: nets.map((net, sector) => {
      const now = (admitted[sector] ?? 0) + net;
      admitted[sector] = now;
      return { admitted: now, net, entered: net, reverted: 0, moved: 0, valid: 100, lots: 0 };
    }),
  }));
  return minutes.filter((_, place) => day[place]?.isConfirmed);
}

test('gaps are the minutes between confirmed ones that are not confirmed, and no others', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const minutes = confirmedMinutes(day);
      const gaps = findGaps(minutes.map(({ minuteMs }) => minuteMs));
      const first = day.findIndex(({ isConfirmed }) => isConfirmed);
      const last = day.findLastIndex(({ isConfirmed }) => isConfirmed);
      for (const [place, { isConfirmed }] of day.entries()) {
        const ms = START_MS + place * MINUTE_MS;
        const within = gaps.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
        expect(within).toHaveLength(!isConfirmed && place > first && place < last ? 1 : 0);
      }
      // Maximal: a confirmed minute lies between two of them.
      for (const { fromMs, toMs } of gaps) {
        expect(minutes.some(({ minuteMs }) => minuteMs === fromMs - MINUTE_MS)).toBe(true);
        expect(minutes.some(({ minuteMs }) => minuteMs === toMs)).toBe(true);
      }
    }),
  );
});

test('the curve has both ends of each confirmed minute, once, and says where a gap lies before', () => {
  fc.assert(
    fc.property(anyDay, fc.constantFrom(0, 1, undefined), (day, sector) => {
      const minutes = confirmedMinutes(day);
      const entered = (until: number) =>
        day
          .slice(0, until)
          .flatMap(({ nets }) => (sector === undefined ? nets : nets.slice(sector, sector + 1)))
          .reduce((sum, net) => sum + net, 0);
      const curve = readCurve(minutes, sector);
      const ends = new Set(minutes.flatMap(({ minuteMs }) => [minuteMs, minuteMs + MINUTE_MS]));
      expect(curve.map(({ atMs }) => atMs)).toEqual([...ends]);
      for (const { atMs, admitted } of curve) expect(admitted).toBe(entered((atMs - START_MS) / MINUTE_MS));
      const gapEndsMs = findGaps(minutes.map(({ minuteMs }) => minuteMs)).map(({ toMs }) => toMs);
      expect(curve.filter(({ isAfterGap }) => isAfterGap).map(({ atMs }) => atMs)).toEqual(gapEndsMs);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOMENTS_MIN, PEAK_MINUTES, readSpan, summarizeMatch } from './match-summary.ts';
import { type Minute, MINUTE_MS } from '../series/minute.ts';

const START_MS = Date.UTC(2026, 10, 22, 19);

/** How many entered one sector, minute by minute, and which part of it came all at once; null: the minute is not known. */
type Flow = readonly (readonly [net: number, lots: number] | null)[];

function minutesOf(flows: readonly Flow[], valid = 1_000): Minute[] {
  const admitted = flows.map(() => 0);
  const minutes: Minute[] = [];
  for (let index = 0; index < (flows[0]?.length ?? 0); index += 1) {
    const sectors = flows.map((flow, sector) => {
      const [net, lots] = flow[index] ?? [1, 0];
      admitted[sector] = (admitted[sector] ?? 0) + net;
      const counts = { admitted: admitted[sector] ?? 0, net, lots, valid };
      return { ...counts, entered: net, reverted: 0, moved: 0 };
    });
    if (flows.every((flow) => flow[index] !== null))
      minutes.push({ minuteMs: START_MS + index * MINUTE_MS, sectors });
  }
  return minutes;
}

const plain = (...nets: (number | null)[]): Flow => nets.map((net) => (net === null ? null : [net, 0]));
const at = (index: number): number => START_MS + index * MINUTE_MS;

test('a match is summed up, of the whole ground and of each sector', () => {
  const minutes = minutesOf([plain(10, 30, 20, 0), plain(0, 5, 40, 5)]);
  const kickOffAtMs = at(2);
  expect(summarizeMatch(minutes, { kickOffAtMs })).toEqual({
    valid: 2_000,
    admitted: 110,
    atMoments: [0, 0, 0, 45, null],
    peaks: [{ fromMs: at(2), toMs: at(3), count: 60 }, null, null],
    arrivedAtMs: [at(3), at(3), at(3)],
  });
  expect(summarizeMatch(minutes, { kickOffAtMs, sector: 1 })).toMatchObject({
    valid: 1_000,
    admitted: 50,
    peaks: [{ fromMs: at(2), count: 40 }, null, null],
    arrivedAtMs: [at(3), at(3), at(4)],
  });
});

test('a moment has the count at its boundary, also at the one behind a gap; a kick-off within a minute has that at its beginning', () => {
  const nets = Array.from({ length: 120 }, (_, index) => (index === 45 ? null : 2));
  const minutes = minutesOf([plain(...nets)]);
  // T-15 is the end of the minute that is missing, T-30 its beginning less a quarter of an hour.
  const { atMoments } = summarizeMatch(minutes, { kickOffAtMs: at(61) + 30_000 });
  expect(atMoments).toEqual([2, 62, 91, 121, 151]);
  expect(summarizeMatch(minutes, { kickOffAtMs: null }).atMoments).toEqual(MOMENTS_MIN.map(() => null));
});

test('lots are in the counts and in no peak; what was all taken back is no peak', () => {
  const minutes = minutesOf([
    [
      [4, 0],
      [400, 390],
      [6, 0],
    ],
  ]);
  expect(summarizeMatch(minutes, { kickOffAtMs: null })).toMatchObject({
    admitted: 410,
    peaks: [{ fromMs: at(1), count: 10 }, null, null],
  });
  expect(summarizeMatch(minutesOf([plain(-3, 0)]), { kickOffAtMs: null }).peaks[0]).toBeNull();
});

test('a share that was reached in a gap, or before the record began, has no time; more than all valid leaves nobody', () => {
  const gap = minutesOf([plain(1, 60, null, 1, 40)]);
  expect(summarizeMatch(gap, { kickOffAtMs: null }).arrivedAtMs).toEqual([at(2), at(5), at(5)]);
  const hidden = minutesOf([plain(10, null, 8)], 5);
  expect(summarizeMatch(hidden, { kickOffAtMs: null })).toMatchObject({
    arrivedAtMs: [at(1), at(3), at(3)],
  });
  const late = hidden.slice(1);
  expect(summarizeMatch(late, { kickOffAtMs: null }).arrivedAtMs[0]).toBeNull();
  const within = minutesOf([plain(5, 80, 5, 10)]).filter((_, index) => index !== 1);
  expect(summarizeMatch(within, { kickOffAtMs: null }).arrivedAtMs).toEqual([null, at(3), at(4)]);
  expect(readSpan(gap)).toEqual({ fromMs: at(0), toMs: at(5) });
});

test('of no minute, nothing is known', () => {
  expect(readSpan([])).toBeNull();
  expect(summarizeMatch([], { kickOffAtMs: START_MS })).toEqual({
    valid: null,
    admitted: null,
    atMoments: [null, null, null, null, null],
    peaks: [null, null, null],
    arrivedAtMs: [null, null, null],
  });
});

const flow = fc.array(
  fc.option(fc.tuple(fc.nat(50), fc.nat(200)), { freq: 8 }).map((minute) => {
    return minute && ([minute[0] + minute[1], minute[1]] as const);
  }),
  { minLength: 1, maxLength: 90 },
);

test('any match: a peak is the highest of all runs without a gap, or not known where fewer minutes have a higher one; no lot changes it', () => {
  fc.assert(
    fc.property(flow, (drawn) => {
      const minutes = minutesOf([drawn]);
      const { peaks } = summarizeMatch(minutes, { kickOffAtMs: null });
      let highest = 0;
      for (const [place, length] of PEAK_MINUTES.entries()) {
        const runs = drawn.map((_, index) => drawn.slice(index, index + length));
        const sums = runs
          .filter((run) => run.length === length && run.every((minute) => minute !== null))
          .map((run) => run.reduce((sum, minute) => sum + (minute?.[0] ?? 0) - (minute?.[1] ?? 0), 0));
        const known = Math.max(0, ...sums);
        expect(peaks[place]?.count ?? 0).toBe(known < highest ? 0 : known);
        highest = Math.max(highest, known);
      }
      const withoutLots = drawn.map((minute) => minute && ([minute[0] - minute[1], 0] as const));
      expect(summarizeMatch(minutesOf([withoutLots]), { kickOffAtMs: null }).peaks).toEqual(peaks);
    }),
  );
});

test('figures that are known in spite of gaps are those of the complete minutes, of any match', () => {
  fc.assert(
    fc.property(flow, fc.array(fc.boolean(), { minLength: 90, maxLength: 90 }), (drawn, isMissing) => {
      const whole = drawn.map((minute) => minute ?? ([0, 0] as const));
      const all = minutesOf([whole]);
      // The end is known: what came of the match hangs on it.
      const some = all.filter((_, index) => index === all.length - 1 || isMissing[index] !== true);
      const kickOffAtMs = at(30);
      const [truth, told] = [all, some].map((minutes) => summarizeMatch(minutes, { kickOffAtMs }));
      expect(told?.admitted).toBe(truth?.admitted);
      const knownOf = (key: 'atMoments' | 'arrivedAtMs') =>
        truth?.[key].map((value, place) => (told?.[key][place] === null ? null : value));
      expect(told?.atMoments).toEqual(knownOf('atMoments'));
      expect(told?.arrivedAtMs).toEqual(knownOf('arrivedAtMs'));
      for (const [place, peak] of (told?.peaks ?? []).entries())
        expect(peak?.count ?? 0).toBeLessThanOrEqual(truth?.peaks[place]?.count ?? 0);
    }),
  );
});

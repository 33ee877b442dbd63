import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { crowd, quietLog, recordedMatch } from '../../../testing/desk/recorded-match.ts';
import { observedSeries } from '../../../testing/desk/observed-series.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { readEarlierMatch } from './earlier-match.ts';
import { EarlierMatches } from './earlier-matches.ts';
import type { Forecast, Outlook } from './forecast.ts';
import { type ForecastSources, makeForecast } from './make-forecast.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const CODES = ['4', '5', ''];
/** Each takes a hundredth of a second: what holds for all of them needs fewer. */
const FEW = { numRuns: repetitions(30, 8) };
const MANY = { numRuns: repetitions(200, 120) };

const sector = fc.record({
  valid: fc.integer({ min: 0, max: 6_000 }),
  /** More than one: tickets that were withdrawn after their holders had entered. */
  comingShare: fc.double({ min: 0, max: 1.1, noNaN: true }),
  centre: fc.integer({ min: -90, max: 30 }),
  scale: fc.integer({ min: 1, max: 30 }),
});

type Sector = typeof sector extends fc.Arbitrary<infer T> ? T : never;

const sectorsOf = (drawn: readonly Sector[]) =>
  CODES.map((code, place) => {
    const { valid = 0, comingShare = 0, centre = 0, scale = 1 } = drawn[place] ?? {};
    return { code, valid, admittedAt: crowd(valid * comingShare, centre, scale) };
  });

const match = fc.array(sector, { minLength: CODES.length, maxLength: CODES.length }).map(sectorsOf);

const today = fc.record({
  sectors: match,
  earlier: fc.array(
    fc.record({
      sectors: match,
      fromMin: fc.integer({ min: -150, max: -50 }),
      toMin: fc.integer({ min: -10, max: 70 }),
    }),
    { maxLength: 12 },
  ),
  fromMin: fc.integer({ min: -170, max: -20 }),
  atMin: fc.integer({ min: -140, max: 25 }),
  postponedMin: fc.constantFrom<number[]>(-120, -5, 0, 0, 0, 10, 30, 60, 90),
});

type Today = typeof today extends fc.Arbitrary<infer T> ? T : never;

function sourcesOf({ sectors, earlier, fromMin, atMin, postponedMin }: Today): ForecastSources {
  const matches = earlier.map((options, n) =>
    readEarlierMatch(recordedMatch({ ...options, eventId: `${n}`, kickOffAtMs: KICK_OFF_MS - n * 1e9 })),
  );
  return {
    nowMs: KICK_OFF_MS + atMin * MINUTE_MS,
    isLive: true,
    series: observedSeries(sectors, {
      kickOffAtMs: KICK_OFF_MS,
      fromMin,
      untilMin: Math.max(fromMin, atMin),
    }),
    codes: CODES,
    earlier: new EarlierMatches({
      eventId: 'today',
      matches: matches.filter((one) => 'sectors' in one),
      codes: CODES,
      isSimulated: false,
    }),
    log: { ...quietLog(KICK_OFF_MS), kickOffAtMs: KICK_OFF_MS + postponedMin * MINUTE_MS },
  };
}

function outlooksOf(forecast: Forecast): readonly Outlook[] {
  if (forecast.kind === 'none') return [];
  return [...(forecast.total ?? []), ...forecast.sectors.flatMap((outlook) => outlook ?? [])];
}

test('a range lies between those who are in and the valid tickets, and within the bound, whatever came before', () => {
  let ranges = 0;
  fc.assert(
    fc.property(today, (drawn) => {
      for (const { admitted, valid, range, ...outlook } of outlooksOf(makeForecast(sourcesOf(drawn)))) {
        expect(outlook.perMinuteNeeded).toBeGreaterThanOrEqual(0);
        expect(outlook.expected.count).toBeGreaterThanOrEqual(admitted);
        if ('why' in range) continue;
        ranges += 1;
        const { low, middle, high, bound } = range;
        expect(low).toBeGreaterThanOrEqual(admitted);
        expect(middle).toBeGreaterThanOrEqual(low);
        expect(high).toBeGreaterThanOrEqual(middle);
        expect(Math.max(admitted, valid) - high).toBeGreaterThanOrEqual(0);
        expect((bound ?? Infinity) - high).toBeGreaterThanOrEqual(0);
      }
    }),
    MANY,
  );
  expect(ranges).toBeGreaterThan(MANY.numRuns / 2);
});

test('whoever is in by one kick-off is in by a later one: no column is below the one before', () => {
  fc.assert(
    fc.property(today, (drawn) => {
      const forecast = makeForecast(sourcesOf(drawn));
      const total = (forecast.kind === 'made' && forecast.total) || [];
      const ranges = total.flatMap(({ range }) => ('why' in range ? [] : range));
      for (const end of ['low', 'middle', 'high'] as const) {
        const counts = ranges.map((range) => range[end]);
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      }
    }),
    MANY,
  );
});

test('a mark withdraws what is not counted, and the ground unless that is small: then it is forecast without', () => {
  fc.assert(
    fc.property(today, fc.constantFrom(null, ...CODES), (drawn, marked) => {
      const sources = sourcesOf(drawn);
      const uncounted = [
        { id: 'm', mark: 'unscanned', sector: marked, sinceMs: sources.nowMs, by: 'Ana' } as const,
      ];
      const [before, after] = [sources, { ...sources, log: { ...sources.log, uncounted } }].map(makeForecast);
      fc.pre(before?.kind === 'made');
      const kept = before.sectors.map((outlook, place) =>
        marked === null || marked === CODES[place] ? null : outlook,
      );
      const validOf = (codes: readonly (string | null)[]): number =>
        sources.series.totals.reduce(
          (sum, { valid }, place) => (codes.includes(CODES[place] ?? null) ? sum + valid : sum),
          0,
        );
      const [without, all] = [validOf([marked]), validOf(CODES)];
      const isSmall = marked !== null && without < 0.25 * all;
      const total = (after?.kind === 'made' && after.total) || null;
      const rest = isSmall ? { total, without: [marked] } : { total: null };
      expect(after).toEqual({ ...before, ...rest, sectors: kept });
      expect(total?.[0]?.valid).toBe(isSmall ? all - without : undefined);
    }),
    FEW,
  );
});

test('nothing is forecast after an evacuation, whatever else is known', () => {
  fc.assert(
    fc.property(today, (drawn) => {
      const sources = sourcesOf(drawn);
      const log = { ...sources.log, evacuatedAtMs: sources.nowMs };
      expect(makeForecast({ ...sources, log })).toEqual({ kind: 'none', why: 'evacuated' });
    }),
    FEW,
  );
});

test('a kick-off that is put off moves no crowd: it is the forecast that was made of it before', () => {
  fc.assert(
    fc.property(today, (drawn) => {
      const [asSet, putOff] = [0, 30].map((postponedMin) =>
        makeForecast(sourcesOf({ ...drawn, postponedMin })),
      );
      fc.pre(asSet?.kind === 'made' && putOff?.kind === 'made');
      expect(putOff.total?.[0]).toEqual(asSet.total?.[3]);
    }),
    FEW,
  );
});

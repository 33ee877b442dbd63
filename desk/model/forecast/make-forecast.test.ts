import { expect, test } from 'vitest';
import { crowd, earlierMatch, quietLog, type RecordedSector } from '../../../testing/desk/recorded-match.ts';
import { observedSeries } from '../../../testing/desk/observed-series.ts';
import { FlowSeries } from '../series/flow-series.ts';
import { MINUTE_MS } from '../series/minute.ts';
import type { EarlierMatch } from './earlier-match.ts';
import { EarlierMatches } from './earlier-matches.ts';
import type { Forecast, ForecastRange, Outlook } from './forecast.ts';
import { type ForecastSources, makeForecast } from './make-forecast.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const CODES = ['7', ''];
const VALID = 4_000;
const USUAL_CENTRE = -20;

const MARK = { id: 'm', mark: 'unscanned', sinceMs: KICK_OFF_MS - 40 * MINUTE_MS, by: 'Ana' } as const;

/** All of them in the first sector. */
function sectorsOf(admittedAt: RecordedSector['admittedAt']): readonly RecordedSector[] {
  return [
    { code: '7', valid: VALID, admittedAt },
    { code: '', valid: 0, admittedAt: () => 0 },
  ];
}

/** Crowds like today's, of which one in three comes a little earlier, and one in three a little later. */
function matchBefore(n: number, source: 'live' | 'simulated' = 'live'): EarlierMatch {
  return earlierMatch({
    eventId: `earlier ${n}`,
    kickOffAtMs: KICK_OFF_MS - (n + 1) * WEEK_MS,
    source,
    sectors: sectorsOf(crowd(3_500 + 10 * n, USUAL_CENTRE + (n % 3) - 1)),
  });
}

const earlierMatches = (count: number): EarlierMatch[] =>
  Array.from({ length: count }, (_, n) => matchBefore(n));

function historyOf(matches: readonly EarlierMatch[], isSimulated = false): EarlierMatches {
  return new EarlierMatches({ eventId: 'today', matches, codes: CODES, isSimulated });
}

interface Today {
  readonly admittedAt?: RecordedSector['admittedAt'];
  readonly atMin?: number;
  readonly fromMin?: number;
  readonly matches?: readonly EarlierMatch[];
  readonly log?: Partial<ForecastSources['log']>;
  readonly isLive?: boolean;
}

/** Half an hour before kick-off, if nothing else is said, with a crowd as usual. */
function forecastOf(today: Today): Forecast {
  return makeForecast(sourcesOf(today));
}

function sourcesOf(today: Today): ForecastSources {
  const { admittedAt = crowd(3_550, USUAL_CENTRE), atMin = -30, fromMin, matches = [], log, isLive } = today;
  return {
    nowMs: KICK_OFF_MS + atMin * MINUTE_MS,
    isLive: isLive ?? true,
    series: observedSeries(sectorsOf(admittedAt), {
      kickOffAtMs: KICK_OFF_MS,
      untilMin: atMin,
      ...(fromMin !== undefined && { fromMin }),
    }),
    codes: CODES,
    earlier: historyOf(matches),
    log: { ...quietLog(KICK_OFF_MS), ...log },
  };
}

function totalOf(forecast: Forecast): readonly Outlook[] {
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast of the ground');
  return forecast.total;
}

/** For kick-off as set. */
function ground(today: Today): Outlook {
  const outlook = totalOf(forecastOf(today))[0];
  if (!outlook) throw new Error('there is no kick-off');
  return outlook;
}

function rangeOf({ range }: Outlook): ForecastRange {
  if ('why' in range) throw new Error(`there is no range: ${range.why}`);
  return range;
}

test('a boundary that is passed late has the people of then', () => {
  const steady = { admittedAt: (min: number) => (min + 90) * 50, fromMin: -90 };
  const late = { ...sourcesOf({ ...steady, atMin: -28 }), nowMs: KICK_OFF_MS - 30 * MINUTE_MS };
  expect(totalOf(makeForecast(late))[0]?.admitted).toBe(3_000);
});

test('the needed rate, and who is in at the best of today, follow from counts alone', () => {
  const steady = ground({ admittedAt: (min) => (min + 90) * 50, fromMin: -90, atMin: -30 });
  expect(steady).toEqual({
    kickOffAtMs: KICK_OFF_MS,
    admitted: 3_000,
    valid: VALID,
    expected: { count: VALID, matches: 0 },
    perMinuteNeeded: 1_000 / 30,
    perMinuteNow: 50,
    perMinuteBest: 50,
    admittedAtBest: VALID,
    allInAtMs: KICK_OFF_MS - 10 * MINUTE_MS,
    lateness: null,
    usual: null,
    range: { why: 'few-matches' },
  });
  const slow = ground({ admittedAt: (min) => (min + 90) * 20, fromMin: -90, atMin: -30 });
  expect(slow).toMatchObject({
    perMinuteNeeded: 2_800 / 30,
    admittedAtBest: 1_800,
    allInAtMs: KICK_OFF_MS + 110 * MINUTE_MS,
  });
});

test('who is in without a valid ticket is in, and takes the place of nobody who is to come', () => {
  const cancelled = (today: Today): Outlook => {
    const sources = sourcesOf({ ...today, fromMin: -90, admittedAt: (min) => (min + 90) * 50 });
    const change = { admitted: 0, entered: 0, reverted: 0, moved: 0, valid: -400, invalid: 400 };
    (sources.series as FlowSeries).commit(sources.nowMs, [{ sector: 0, ...change }]);
    return totalOf(makeForecast(sources))[0] as Outlook;
  };
  expect(cancelled({})).toMatchObject({
    admitted: 3_000,
    valid: VALID,
    expected: { count: VALID, matches: 0 },
    perMinuteNeeded: 1_000 / 30,
    admittedAtBest: VALID,
  });
  const { expected, usual, range } = cancelled({ matches: earlierMatches(3) });
  const share = 3_510 / VALID;
  expect(expected.count).toBeCloseTo(400 + 3_600 * share, -1);
  expect(usual).toBeCloseTo(400 + (3_600 / VALID) * crowd(3_510, USUAL_CENTRE)(-30), -1);
  expect(rangeOf({ range } as Outlook).high).toBeLessThanOrEqual(VALID);
});

test('without an entry there is no time by which all are in', () => {
  expect(ground({ admittedAt: () => 0 })).toMatchObject({ admittedAtBest: 0, allInAtMs: null });
});

test('as many are expected to come as came to earlier matches, of the valid tickets', () => {
  const { expected, usual } = ground({ matches: earlierMatches(3) });
  expect(expected).toEqual({ count: expect.closeTo(3_510, -1), matches: 3 });
  expect(usual).toBeCloseTo(crowd(3_510, USUAL_CENTRE)(-30), -1);
});

test('a range needs three matches, and a percentage nine', () => {
  const ranges = [2, 3, 8, 9, 12].map((count) => ground({ matches: earlierMatches(count) }).range);
  expect(ranges.map((range) => ('why' in range ? range.why : range.coverage))).toEqual([
    'few-matches',
    null,
    null,
    0.8,
    0.8,
  ]);
  expect(ranges.map((range) => ('why' in range ? 0 : range.matches))).toEqual([0, 3, 8, 9, 12]);
});

test('a crowd as usual comes as usual', () => {
  for (const atMin of [-100, -61, -60, -30, -10, -1]) {
    const admittedAt = crowd(3_550, USUAL_CENTRE);
    const outlook = ground({ admittedAt, atMin, matches: earlierMatches(9) });
    const { low, middle, high } = rangeOf(outlook);
    expect(Math.abs(middle - admittedAt(0)) / VALID).toBeLessThan(0.02);
    expect(low).toBeLessThanOrEqual(admittedAt(0) + 0.005 * VALID);
    expect(high).toBeGreaterThanOrEqual(admittedAt(0) - 0.005 * VALID);
    expect(outlook.lateness).toBe(atMin < -60 ? null : 0);
  }
});

test('a crowd that comes later than any before is found to, and forecast so', () => {
  for (const later of [8, 12, -9]) {
    const admittedAt = crowd(3_550, USUAL_CENTRE + later);
    const outlook = ground({ admittedAt, atMin: -30, matches: earlierMatches(9) });
    expect(outlook.lateness).toBe(later);
    expect(Math.abs(rangeOf(outlook).middle - admittedAt(0)) / VALID).toBeLessThan(0.03);
  }
});

test('what was not watched ten minutes ago cannot tell how late the crowd is', () => {
  const matches = earlierMatches(9);
  expect(ground({ matches, fromMin: -41 }).lateness).toBe(0);
  const { lateness, range } = ground({ matches, fromMin: -39 });
  expect(lateness).toBeNull();
  expect(range).toMatchObject({ coverage: 0.8 });
});

test('after a restart, the ends of recorded minutes tell how late the crowd is', () => {
  const sectors = sectorsOf(crowd(3_550, USUAL_CENTRE + 8));
  const before = observedSeries(sectors, { kickOffAtMs: KICK_OFF_MS, untilMin: -30 });
  const series = new FlowSeries({ sectorCount: CODES.length });
  series.restore(before.minutes(0, Infinity));
  const nowMs = KICK_OFF_MS - 30 * MINUTE_MS + 25_000;
  series.begin(nowMs, before.totals);
  const forecast = makeForecast({ ...sourcesOf({ matches: earlierMatches(9) }), nowMs, series });
  expect(totalOf(forecast)[0]?.lateness).toBe(8);
});

test('a range ends where the best rate of today and of earlier matches does', () => {
  const slow = (match: EarlierMatch): EarlierMatch => ({
    ...match,
    total: match.total && { ...match.total, bestRate: 30 },
  });
  const matches = earlierMatches(9).map(slow);
  const admittedAt = (min: number): number => 1_000 + (min + 60) * 10;
  const { range } = ground({ admittedAt, fromMin: -60, matches });
  expect(range).toMatchObject({ low: 2_200, high: 2_200, bound: 2_200 });
  const fast = (min: number): number => 1_000 + Math.min(10, Math.max(0, min + 60)) * 40;
  expect(ground({ admittedAt: fast, fromMin: -65, matches }).range).toMatchObject({ bound: 2_600 });
});

test('a kick-off that is put off gives people more time, and sends nobody home', () => {
  const matches = earlierMatches(9);
  const asSet = totalOf(forecastOf({ matches }));
  expect(asSet.map(({ kickOffAtMs }) => (kickOffAtMs - KICK_OFF_MS) / MINUTE_MS)).toEqual([0, 10, 15, 30]);
  const middles = asSet.map((outlook) => rangeOf(outlook).middle);
  expect(middles).toEqual(middles.toSorted((a, b) => a - b));
  expect(new Set(middles).size).toBe(4);
  const log = { kickOffAtMs: KICK_OFF_MS + 15 * MINUTE_MS };
  expect(totalOf(forecastOf({ matches, log }))[0]).toEqual(asSet[2]);
});

test('after the kick-off that was planned, the one that holds is forecast', () => {
  const log = { kickOffAtMs: KICK_OFF_MS + 15 * MINUTE_MS };
  const admittedAt = crowd(3_550, USUAL_CENTRE);
  const { range } = ground({ admittedAt, atMin: 5, log, matches: earlierMatches(9) });
  expect(range).toMatchObject({ middle: expect.closeTo(admittedAt(15), -2) });
});

test('another kick-off than planned, by hours, is that of another crowd', () => {
  const log = { plannedKickOffAtMs: KICK_OFF_MS - 4 * 60 * MINUTE_MS };
  const matches = earlierMatches(9);
  expect(ground({ matches, log })).toEqual(ground({ matches }));
});

test('more than two hours before there is no range', () => {
  expect(ground({ atMin: -121, matches: earlierMatches(9) }).range).toEqual({ why: 'early' });
});

test.each([
  ['no-kick-off', { log: { kickOffAtMs: null } }],
  ['over', { atMin: 70 }],
  ['no-data', { isLive: false }],
  ['entry-closed', { log: { entryClosedAtMs: KICK_OFF_MS - MINUTE_MS } }],
  ['evacuated', { log: { evacuatedAtMs: KICK_OFF_MS - MINUTE_MS } }],
] satisfies [string, Today][])('nothing is forecast: %s', (why, today) => {
  expect(forecastOf({ matches: earlierMatches(9), ...today })).toEqual({ kind: 'none', why });
});

test('where people passed uncounted, neither the sector nor the ground is forecast, also once that has ended', () => {
  for (const end of [{}, { endedAtMs: MARK.sinceMs + MINUTE_MS }]) {
    const forecast = forecastOf({ log: { uncounted: [{ ...MARK, ...end, sector: '7' }] } });
    expect(forecast).toMatchObject({ total: null, sectors: [null, { valid: 0 }] });
    const everywhere = forecastOf({ log: { uncounted: [{ ...MARK, ...end, sector: null }] } });
    expect(everywhere).toMatchObject({ total: null, sectors: [null, null] });
  }
});

test('with an estimate the forecast goes on, as if those whom it names had been read', () => {
  const matches = earlierMatches(9);
  const estimate = { count: 200, how: 'a olho', by: 'Bia', atMs: MARK.sinceMs };
  const uncounted = [{ ...MARK, sector: '7', endedAtMs: MARK.sinceMs, estimate }];
  const without = crowd(3_550, USUAL_CENTRE);
  const fromMs = (MARK.sinceMs - KICK_OFF_MS) / MINUTE_MS;
  const read = (min: number): number => without(min) + (min >= fromMs ? 200 : 0);
  const estimated = ground({ matches, log: { uncounted } });
  const { admitted, expected, range } = ground({ matches, admittedAt: read });
  expect(estimated).toMatchObject({ admitted, estimated: 200, expected });
  // Those whom turnstiles have read say how fast they are: the bound is another.
  for (const end of ['low', 'middle'] as const)
    expect(rangeOf(estimated)[end]).toBeCloseTo('why' in range ? NaN : range[end], 6);
  expect(forecastOf({ matches, log: { uncounted } })).toMatchObject({
    sectors: [{ estimated: 200 }, expect.not.objectContaining({ estimated: expect.anything() })],
  });
  const ofGround = [{ ...MARK, sector: null, estimate }];
  expect(forecastOf({ matches, log: { uncounted: ofGround } })).toMatchObject({
    total: [{ estimated: 200 }, {}, {}, {}],
    sectors: [null, null],
  });
});

test('where entry is suspended in a large sector, nothing is forecast of the ground, nor a range of the sector', () => {
  const matches = earlierMatches(9);
  const forecast = forecastOf({ matches, log: { marks: [{ ...MARK, mark: 'suspended', sector: '7' }] } });
  expect(forecast).toMatchObject({ total: null, sectors: [{ range: { why: 'suspended' } }, {}] });
});

test('invented matches say nothing of real ones, nor real ones of invented ones, nor a match of itself', () => {
  const matches = [...earlierMatches(3), ...[3, 4, 5, 6].map((n) => matchBefore(n, 'simulated'))];
  const own = { ...matchBefore(7), eventId: 'today' };
  expect(ground({ matches: [...matches, own] }).range).toMatchObject({ matches: 3 });
  expect(historyOf(matches, true).total.coming).toMatchObject({ matches: 4 });
});

test('the newest matches count', () => {
  const fewCame = (n: number): EarlierMatch => ({ ...matchBefore(n), kickOffAtMs: 0, total: null });
  const matches = [...Array.from({ length: 5 }, (_, n) => fewCame(n)), ...earlierMatches(20)];
  expect(ground({ matches }).range).toMatchObject({ matches: 20 });
});

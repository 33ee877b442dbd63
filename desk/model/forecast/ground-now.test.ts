import { expect, test } from 'vitest';
import {
  crowd,
  earlierMatch,
  quietLog,
  type RecordedMatchOptions,
} from '../../../testing/desk/recorded-match.ts';
import { chain } from '../../../testing/desk/log-rows.ts';
import { entryOf } from '../../../testing/desk/match-view.ts';
import { observedSeries } from '../../../testing/desk/observed-series.ts';
import type { SectorMark } from '../log/marks.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { EarlierMatches } from './earlier-matches.ts';
import type { Forecast, Outlook } from './forecast.ts';
import { makeForecast } from './make-forecast.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const SECTORS = [
  { code: '4', valid: 3_000, admittedAt: crowd(2_600, -20) },
  { code: '7', valid: 900, admittedAt: crowd(800, -25) },
  { code: '9', valid: 400, admittedAt: crowd(350, -15) },
  { code: '', valid: 0, admittedAt: () => 0 },
];
const MARK = { id: 'm', mark: 'unscanned', sinceMs: KICK_OFF_MS - 40 * MINUTE_MS, by: 'Ana' } as const;

interface Today {
  /** The sectors that there are, today and before. */
  readonly codes?: readonly string[];
  readonly marks?: readonly SectorMark[];
  /** Null for the whole ground. */
  readonly suspended?: string | null;
  readonly atMin?: number;
  readonly earlier?: Partial<RecordedMatchOptions>;
}

function forecastOf({ codes, marks = [], suspended, atMin = -30, earlier = {} }: Today): Forecast {
  const sectors = SECTORS.filter(({ code }) => codes?.includes(code) ?? true);
  const matches = Array.from({ length: 9 }, (_, n) =>
    earlierMatch({
      eventId: `earlier ${n}`,
      kickOffAtMs: KICK_OFF_MS - (n + 1) * WEEK_MS,
      sectors: sectors.map((sector) => ({
        ...sector,
        admittedAt: (min: number) => sector.admittedAt(min + (n % 3) - 1),
      })),
      ...earlier,
    }),
  );
  const own = sectors.map(({ code }) => code);
  return makeForecast({
    nowMs: KICK_OFF_MS + atMin * MINUTE_MS,
    isLive: true,
    series: observedSeries(sectors, { kickOffAtMs: KICK_OFF_MS, untilMin: atMin }),
    codes: own,
    earlier: new EarlierMatches({ eventId: 'today', matches, codes: own, isSimulated: false }),
    log: {
      ...quietLog(KICK_OFF_MS),
      marks: suspended === undefined ? [] : [{ ...MARK, mark: 'suspended', sector: suspended }],
      uncounted: marks,
    },
  });
}

function madeOf(today: Today) {
  const forecast = forecastOf(today);
  if (forecast.kind === 'none') throw new Error(forecast.why);
  return forecast;
}

const marked = (sector: string | null): SectorMark => ({ ...MARK, sector });

/** The bound is of the steepest five minutes of the sum, which is the same to a person. */
function expectAlike(own: readonly Outlook[] | null, other: readonly Outlook[] | null): void {
  const rounded = (outlooks: readonly Outlook[] | null): unknown =>
    JSON.parse(
      JSON.stringify(outlooks, (_, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)),
    );
  expect(rounded(own)).toEqual(rounded(other));
}

test('without small sectors that are marked, the rest is forecast as if there were no others', () => {
  const rest = madeOf({ marks: [marked('7')] });
  expect(rest.without).toEqual(['7']);
  expect(rest.sectors.map((outlook) => outlook !== null)).toEqual([true, false, true, true]);
  expectAlike(rest.total, madeOf({ codes: ['4', '9', ''] }).total);
  const ended = madeOf({ marks: [{ ...marked('7'), endedAtMs: MARK.sinceMs + MINUTE_MS }] });
  expect(ended).toEqual(rest);
});

test('the whole is forecast where there is no mark, or each has an estimate', () => {
  expect(madeOf({}).without).toBeUndefined();
  const estimate = { count: 50, how: 'a olho', by: 'Bia', atMs: MARK.sinceMs };
  const estimated = madeOf({ marks: [{ ...marked('4'), estimate }] });
  expect(estimated.without).toBeUndefined();
  expect(estimated.total?.[0]).toMatchObject({ estimated: 50 });
  // Of 400 tickets some have entered: no more than the others are among those who are to come, there or elsewhere.
  const many = madeOf({ marks: [{ ...marked('9'), estimate: { ...estimate, count: 400 } }] });
  const { admitted = 0, estimated: counted = 0 } = many.sectors[2] ?? {};
  expect([admitted, counted < 400, many.total?.[0]?.estimated]).toEqual([400, true, counted]);
  const both = madeOf({ marks: [{ ...marked('4'), estimate }, marked('9')] });
  expect(both.without).toEqual(['9']);
  expect(both.total?.[0]).toMatchObject({ estimated: 50, valid: 3_900 });
});

test.each([
  ['a quarter of the tickets and more is left out', [marked('7'), marked('9')]],
  ['the whole ground is marked', [marked(null)]],
])('nothing is forecast of the ground where %s', (_, marks) => {
  expect(madeOf({ marks }).total).toBeNull();
});

test('an earlier match is used for the rest if only the left-out sectors were incomplete in it', () => {
  const log = (sector: string) =>
    chain('earlier', [entryOf('mark', { mark: 'unscanned' }, { atMs: KICK_OFF_MS - 30 * WEEK_MS, sector })]);
  const matchesOf = (sector: string) => {
    const range = madeOf({ marks: [marked('7')], earlier: { log: log(sector) } }).total?.[0]?.range;
    return range && 'matches' in range ? range.matches : 0;
  };
  expect([matchesOf('7'), matchesOf('9')]).toEqual([9, 0]);
});

test('a small sector whose entry is suspended is left out as well; a large one takes the forecast away', () => {
  const rest = madeOf({ suspended: '7' });
  expect(rest.without).toEqual(['7']);
  expectAlike(rest.total, madeOf({ codes: ['4', '9', ''] }).total);
  expect(rest.sectors[1]?.range).toEqual({ why: 'suspended' });
  for (const suspended of ['4', null]) {
    const large = madeOf({ suspended });
    expect(large).not.toHaveProperty('without');
    expect(large.total).toBeNull();
    expect(forecastOf({ suspended, atMin: 5 })).toEqual({ kind: 'none', why: 'over' });
  }
  const of = (unread: string, suspended: string) => {
    const { total, without } = madeOf({ marks: [marked(unread)], suspended });
    return [without, total?.[0]?.range];
  };
  expect(of('7', '7')).toEqual([['7'], expect.objectContaining({ matches: 9 })]);
  // Together they are a quarter of the tickets and more.
  expect(of('7', '9')).toEqual([undefined, undefined]);
});

test('after kick-off the forecast has the time when everybody is in, also without some sectors', () => {
  const forecasts = [[], [marked('7')], [marked('4')]].map((marks) => forecastOf({ atMin: 5, marks }));
  const late = { kind: 'none', why: 'over' };
  const untilMs = expect.any(Number);
  expect(forecasts).toEqual([
    { ...late, coming: { untilMs } },
    { ...late, coming: { untilMs, without: ['7'] } },
    late,
  ]);
  const coming = forecasts[0]?.kind === 'none' ? forecasts[0].coming : undefined;
  const came = SECTORS.reduce((sum, { admittedAt }) => sum + admittedAt(90), 0);
  const inBy = (min: number) => SECTORS.reduce((sum, { admittedAt }) => sum + admittedAt(min), 0);
  expect(inBy(((coming?.untilMs ?? 0) - KICK_OFF_MS) / MINUTE_MS) / came).toBeCloseTo(0.98, 2);
});

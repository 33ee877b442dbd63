import { expect, test } from 'vitest';
import { chain } from '../../../testing/desk/log-rows.ts';
import { observedSeries } from '../../../testing/desk/observed-series.ts';
import { serverEntry } from '../../../testing/server/server-entry.ts';
import type { LogEntry, LogRow, Source } from '../log/flow-log.ts';
import { admittedAtMoment } from '../series/match-moment.ts';
import { summarizeMatch } from '../log/match-summary.ts';
import { MINUTE_MS } from '../series/minute.ts';
import type { Forecast, Outlook } from './forecast.ts';
import { outcomesDue } from './outcome.ts';
import { type StoredForecast, storedForecastOf, type StoredOutcome } from './stored-forecast.ts';
import { readTrackRecord } from './track-record.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const NOTHING_BROKEN = { uncounted: [], entryClosedAtMs: null, evacuatedAtMs: null };
const RANGE = { low: 1_000, middle: 1_100, high: 1_200, matches: 12, coverage: 0.8 };
const STORED: StoredForecast = {
  minutesBefore: 30,
  kickOffAtMs: KICK_OFF_MS,
  expected: 1_500,
  perMinuteNeeded: 20,
  range: RANGE,
};

const OUTLOOK: Outlook = {
  kickOffAtMs: KICK_OFF_MS,
  admitted: 900,
  valid: 2_000,
  expected: { count: 1_500, matches: 12 },
  perMinuteNeeded: 20,
  perMinuteNow: 10,
  perMinuteBest: 12,
  admittedAtBest: 1_260,
  allInAtMs: null,
  lateness: 0,
  usual: 850,
  range: { ...RANGE, bound: 1_500 },
};

function madeAt(min: number, total: readonly Outlook[] | null = [OUTLOOK]): Forecast {
  return { kind: 'made', atMs: KICK_OFF_MS + min * MINUTE_MS, total, sectors: [] };
}

const stored = (id: string, data: Partial<StoredForecast> = {}, source: Source = 'live'): LogEntry => ({
  ...serverEntry(id, 'forecast', { ...STORED, ...data }, KICK_OFF_MS),
  source,
});
const outcome = (data: StoredOutcome, source: Source = 'live'): LogEntry => ({
  ...serverEntry(`outcome:${data.forecast}`, 'outcome', data, KICK_OFF_MS),
  source,
});

/** Ten enter a minute, so that 1,500 are in at kick-off. */
function seriesUntil(untilMin: number, fromMin = -150) {
  const admittedAt = (min: number): number => (min + 150) * 10;
  return observedSeries([{ code: '7', valid: 2_000, admittedAt }], {
    kickOffAtMs: KICK_OFF_MS,
    fromMin,
    untilMin,
  });
}

test('a forecast is kept 90, 60, 45, 30 and 15 minutes before kick-off, once each', () => {
  const kept = Array.from({ length: 6 * 100 }, (_, n) => storedForecastOf(madeAt(-100 + n / 6)));
  const ids = new Set(kept.flatMap((one) => one?.id ?? []));
  expect([...ids]).toEqual([90, 60, 45, 30, 15].map((minutes) => `forecast:${KICK_OFF_MS}:${minutes}`));
  expect(storedForecastOf(madeAt(-30))).toEqual({ id: `forecast:${KICK_OFF_MS}:30`, data: STORED });
});

test('a forecast is kept if its server begins a little late, not if much later', () => {
  expect(storedForecastOf(madeAt(-28.1))).not.toBeNull();
  expect(storedForecastOf(madeAt(-28))).toBeNull();
  expect(storedForecastOf(madeAt(-30.1))).toBeNull();
});

test('a range is kept, and judged, as the desk rounds it: between those who are in and the valid tickets', () => {
  const kept = (of: Partial<Outlook>, low: number, high: number) =>
    storedForecastOf(madeAt(-30, [{ ...OUTLOOK, ...of, range: { ...RANGE, low, high, bound: null } }]))?.data
      .range;
  expect(kept({ valid: 20_000 }, 5_847, 6_150)).toMatchObject({ low: 5_800, high: 6_200 });
  expect(kept({}, 1_004, 1_996)).toMatchObject({ low: 1_000, high: 2_000 });
  expect(kept({ admitted: 5_931, valid: 6_020 }, 5_940, 6_018)).toMatchObject({ low: 5_931, high: 6_000 });
});

test('a forecast without a range is kept without one, and nothing where nothing is forecast', () => {
  const { data } = storedForecastOf(madeAt(-30, [{ ...OUTLOOK, range: { why: 'few-matches' } }])) ?? {};
  expect(data).toEqual({ ...STORED, range: null });
  expect(storedForecastOf(madeAt(-30, null))).toBeNull();
  expect(storedForecastOf({ kind: 'none', why: 'no-data' })).toBeNull();
});

function due(log: readonly LogRow[], untilMin: number, state: object = {}, fromMin?: number) {
  const series = seriesUntil(untilMin, fromMin);
  return outcomesDue({ log, series, state: { ...NOTHING_BROKEN, ...state } }).map(({ data }) => data);
}

test('a forecast is judged once its kick-off has passed, by who was in then', () => {
  const log = chain('e', [stored('a'), stored('b', { range: { ...RANGE, high: 1_500 } })]);
  expect(due(log, -1)).toEqual([]);
  const outcomes = [
    { forecast: 'a', admitted: 1_500, isHeld: false },
    { forecast: 'b', admitted: 1_500, isHeld: true },
  ];
  expect(due(log, 0)).toEqual(outcomes);
  expect(due(log, 40)).toEqual(outcomes);
  expect(due(chain('e', [...log, ...outcomes.map((one) => outcome(one))]), 40)).toEqual([]);
});

test('a kick-off with seconds has one number: the log judges by the one that desk and print tell', () => {
  const kickOffAtMs = KICK_OFF_MS + 30_000;
  const log = chain('e', [stored('a', { kickOffAtMs })]);
  expect(due(log, 0)).toEqual([]);
  const [outcomeThen] = due(log, 5);
  const minutes = seriesUntil(5).minutes(0, Infinity);
  expect(outcomeThen?.admitted).toBe(1_500);
  expect(admittedAtMoment(minutes, kickOffAtMs)).toBe(1_500);
  expect(summarizeMatch(minutes, { kickOffAtMs }).atMoments[3]).toBe(1_500);
});

test('a forecast is judged by its own kick-off, whatever was set later', () => {
  const later = stored('a', { kickOffAtMs: KICK_OFF_MS + 15 * MINUTE_MS });
  expect(due(chain('e', [later]), 14)).toEqual([]);
  expect(due(chain('e', [later]), 15)).toEqual([{ forecast: 'a', admitted: 1_650, isHeld: false }]);
});

test('the outcome of a forecast without a range has the count, and no judgement', () => {
  expect(due(chain('e', [stored('a', { range: null })]), 0)).toEqual([
    { forecast: 'a', admitted: 1_500, isHeld: null },
  ]);
});

test('a forecast that leaves sectors out is kept with them, and never judged, also once their mark was a mistake', () => {
  const made = madeAt(-30);
  const data = made.kind === 'made' ? storedForecastOf({ ...made, without: ['7'] })?.data : undefined;
  expect(data).toEqual({ ...STORED, without: ['7'] });
  expect(due(chain('e', [stored('a', { without: ['7'] })]), 0)).toEqual([
    { forecast: 'a', admitted: 1_500, isHeld: null },
  ]);
});

test('who was in at kick-off is waited for half an hour, where that was not watched', () => {
  const log = chain('e', [stored('a')]);
  expect(due(log, 29, {}, 2)).toEqual([]);
  expect(due(log, 30, {}, 2)).toEqual([{ forecast: 'a', admitted: null, isHeld: null, why: 'unseen' }]);
});

test.each([
  [{ entryClosedAtMs: KICK_OFF_MS - 1 }, 'entry-closed'],
  [{ evacuatedAtMs: KICK_OFF_MS - 1 }, 'evacuated'],
])('a forecast is not judged by counts that are not what it was of: %o', (state, why) => {
  const log = chain('e', [stored('a')]);
  expect(due(log, 0, state)).toEqual([{ forecast: 'a', admitted: null, isHeld: null, why }]);
});

test('a forecast that reckons with an estimate is kept with it', () => {
  expect(storedForecastOf(madeAt(-30, [{ ...OUTLOOK, estimated: 150 }]))?.data).toEqual({
    ...STORED,
    estimated: 150,
  });
});

test.each([
  { sinceMin: -40, isJudged: false },
  { sinceMin: -1, isJudged: false },
  { sinceMin: 1, isJudged: true },
])('a forecast is judged by a whole count only: marked as unread since %o', ({ sinceMin, isJudged }) => {
  const sinceMs = KICK_OFF_MS + sinceMin * MINUTE_MS;
  const estimate = { count: 100, how: 'a olho', by: 'Bia', atMs: sinceMs };
  const mark = { id: 'm', mark: 'unscanned', sector: '7', sinceMs, by: 'Ana', endedAtMs: sinceMs, estimate };
  const log = chain('e', [stored('a', { range: { ...RANGE, high: 1_500 } })]);
  const [admitted, isHeld, why] = isJudged ? [1_500, true] : [null, null, 'incomplete'];
  expect(due(log, 0, { uncounted: [mark] })).toEqual([{ forecast: 'a', admitted, isHeld, why }]);
});

test('what happens after its kick-off does not change how a forecast is judged', () => {
  const state = { entryClosedAtMs: KICK_OFF_MS + 1 };
  expect(due(chain('e', [stored('a')]), 5, state)).toMatchObject([{ admitted: 1_500 }]);
});

test('the track record counts how many of the last twelve ranges held, by minutes before kick-off', () => {
  const logs = Array.from({ length: 14 }, (_, week) => {
    const kickOffAtMs = KICK_OFF_MS + week * 7 * 24 * 60 * MINUTE_MS;
    return chain(`${week}`, [
      stored('a', { kickOffAtMs }),
      stored('b', { kickOffAtMs, minutesBefore: 15 }),
      outcome({ forecast: 'a', admitted: 1_100, isHeld: week > 3 }),
      outcome({ forecast: 'b', admitted: null, isHeld: null }),
    ]);
  });
  expect(readTrackRecord(logs.toReversed(), false)).toEqual([{ minutesBefore: 30, ranges: 12, held: 10 }]);
  expect(readTrackRecord(logs, true)).toEqual([]);
});

test('ranges of invented matches are no record of real ones', () => {
  const held = { forecast: 'a', admitted: 1_100, isHeld: true };
  const invented = chain('e', [stored('a', {}, 'simulated'), outcome(held, 'simulated')]);
  expect(readTrackRecord([invented], false)).toEqual([]);
  expect(readTrackRecord([invented], true)).toEqual([{ minutesBefore: 30, ranges: 1, held: 1 }]);
});

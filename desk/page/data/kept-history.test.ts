import { expect, test } from 'vitest';
import type { DeskState } from '../../model/desk-state.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { type Minute, MINUTE_MS } from '../../model/series/minute.ts';
import {
  forgetNewest,
  keepFitting,
  type KeptHistory,
  missingMinutes,
  NO_HISTORY,
  withLog,
  withMinute,
  withSpan,
} from './kept-history.ts';

const HOUR_MS = 60 * MINUTE_MS;
const NOON_MS = 1_795_000_020_000 - (1_795_000_020_000 % HOUR_MS);

const state = (lastMinuteMs: number | null, gatesOpenAtMs: number | null = null, lastSeq = 0, code = '4') =>
  ({
    nowMs: NOON_MS,
    lastMinuteMs,
    lastSeq,
    times: { gatesOpenAtMs },
    rows: [{ code }, { code: '' }],
  }) as unknown as DeskState;
const minutesIn = (fromMs: number, toMs: number): Minute[] =>
  Array.from({ length: (toMs - fromMs) / MINUTE_MS }, (_, n) => ({
    minuteMs: fromMs + n * MINUTE_MS,
    sectors: [],
  }));
const row = (seq: number, log = 'a') => ({ seq, id: `${log}${seq}` }) as LogRow;
const startsOf = ({ minutes }: KeptHistory) => minutes.map(({ minuteMs }) => minuteMs);

/** Asks until nothing is missing; a server that knows these minutes. */
function load(history: KeptHistory, now: DeskState, known: readonly Minute[]): KeptHistory {
  let loaded = history;
  for (let asked = 0; asked < 10; asked += 1) {
    const span = missingMinutes(loaded, now);
    if (!span) return loaded;
    expect(span.toMs - span.fromMs).toBeLessThanOrEqual(6 * HOUR_MS);
    const answered = known.filter(({ minuteMs }) => minuteMs >= span.fromMs && minuteMs < span.toMs);
    loaded = withSpan(loaded, span, answered);
  }
  throw new Error('it asks for ever');
}

test('without a minute nothing is read', () => {
  expect(missingMinutes(NO_HISTORY, state(null))).toBeUndefined();
});

test('it loads from an hour before the gates open, or from twelve hours ago if that is unknown', () => {
  const known = minutesIn(NOON_MS - 20 * HOUR_MS, NOON_MS);
  const last = NOON_MS - MINUTE_MS;
  expect(startsOf(load(NO_HISTORY, state(last, NOON_MS - 2 * HOUR_MS), known))[0]).toBe(
    NOON_MS - 3 * HOUR_MS,
  );
  const long = load(NO_HISTORY, state(last), known);
  expect(startsOf(long)).toEqual(startsOf({ ...long, minutes: known.slice(-12 * 60) }));
});

test('earlier minutes are read if the gates turn out to open earlier', () => {
  const known = minutesIn(NOON_MS - 20 * HOUR_MS, NOON_MS);
  const last = NOON_MS - MINUTE_MS;
  const before = load(NO_HISTORY, state(last, NOON_MS - HOUR_MS), known);
  const after = load(before, state(last, NOON_MS - 10 * HOUR_MS), known);
  expect(startsOf(after)[0]).toBe(NOON_MS - 11 * HOUR_MS);
  expect(after.minutes).toHaveLength(11 * 60);
});

test('a new minute follows the others; after a hole both are read', () => {
  const gates = NOON_MS - HOUR_MS;
  const known = minutesIn(gates - HOUR_MS, NOON_MS + 5 * MINUTE_MS);
  const loaded = load(NO_HISTORY, state(NOON_MS - MINUTE_MS, gates), known);
  const [next, , third] = minutesIn(NOON_MS, NOON_MS + 3 * MINUTE_MS);
  const followed = withMinute(loaded, next as Minute);
  expect(missingMinutes(followed, state(NOON_MS, gates))).toBeUndefined();
  const skipped = withMinute(followed, third as Minute);
  const now = state(NOON_MS + 2 * MINUTE_MS, gates);
  expect(missingMinutes(skipped, now)).toEqual({
    fromMs: NOON_MS + MINUTE_MS,
    toMs: NOON_MS + 3 * MINUTE_MS,
  });
  expect(startsOf(load(skipped, now, known)).at(-1)).toBe(NOON_MS + 2 * MINUTE_MS);
});

test('an unobserved minute is not read again', () => {
  const gates = NOON_MS - HOUR_MS;
  const known = minutesIn(gates - HOUR_MS, NOON_MS).filter((_, n) => n !== 7);
  const now = state(NOON_MS - MINUTE_MS, gates);
  const loaded = load(NO_HISTORY, now, known);
  expect(loaded.minutes).toEqual(known);
  expect(missingMinutes(loaded, now)).toBeUndefined();
});

test('with a new stream the last quarter of an hour is read again, as another server may differ', () => {
  const gates = NOON_MS - HOUR_MS;
  const now = state(NOON_MS - MINUTE_MS, gates);
  const known = minutesIn(gates - HOUR_MS, NOON_MS);
  const loaded = load(NO_HISTORY, now, known);
  expect(missingMinutes(forgetNewest(loaded), now)).toEqual({
    fromMs: NOON_MS - 15 * MINUTE_MS,
    toMs: NOON_MS,
  });
  const without = known.slice(0, -3);
  expect(load(forgetNewest(loaded), now, without).minutes).toEqual(without);
});

test('the log grows by the rows that follow, and is cleared for another log', () => {
  const log = withLog(NO_HISTORY, [row(1), row(2)]);
  expect(withLog(log, [row(2), row(3)]).log.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3']);
  expect(withLog(log, [row(1), row(2)])).toBe(log);
  expect(withLog(log, [row(2, 'b'), row(3, 'b')]).log).toEqual([]);
  expect(keepFitting(log, state(null, null, 1)).log).toEqual([]);
});

test('minutes and log of other rows are dropped', () => {
  const one = keepFitting(NO_HISTORY, state(null));
  const full = withLog(one, [row(1)]);
  expect(keepFitting(full, state(null, null, 1))).toBe(full);
  expect(keepFitting(full, state(null, null, 1, '5'))).toMatchObject({ minutes: [], log: [] });
});

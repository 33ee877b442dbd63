import { MINUTE_MS, minuteOf } from '../series/minute.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import type { ExpectedToCome, ForecastRange, NoRange, Outlook } from './forecast.ts';
import { COVERAGE, CURVE_FROM_MIN, MIN_MATCHES_FOR_COVERAGE } from './limits.ts';
import type { RowNow } from './row-now.ts';

/** Forecasts a kick-off in the future. */
export function outlookOf(now: RowNow, kickOffAtMs: number, isSuspended = false): Outlook {
  const { nowMs, crowdMs, admitted, estimated, meanOfFive, bestOfFive, history } = now;
  const valid = countAt(now, 1);
  const leftMin = (kickOffAtMs - nowMs) / MINUTE_MS;
  const expected = expectedToCome(now);
  const missing = expected.count - admitted;
  const usualShare = history.usualShare((nowMs - crowdMs) / MINUTE_MS);
  return {
    kickOffAtMs,
    admitted,
    ...(estimated > 0 && { estimated }),
    valid,
    expected,
    perMinuteNeeded: missing / leftMin,
    perMinuteNow: meanOfFive,
    perMinuteBest: bestOfFive,
    admittedAtBest:
      bestOfFive === null ? null : Math.max(admitted, Math.min(valid, reached(now, bestOfFive, leftMin))),
    allInAtMs: bestOfFive !== null && bestOfFive > 0 ? nowMs + (missing / bestOfFive) * MINUTE_MS : null,
    usual: usualShare === null ? null : countAt(now, usualShare),
    ...(isSuspended ? none('suspended') : findRange(now, kickOffAtMs, leftMin)),
  };
}

/** Forecasts kick-offs in order: whoever is in by one is in by the next, whose range is never below. */
export function outlooksOf(now: RowNow, kickOffsMs: readonly number[]): readonly Outlook[] {
  let before = { low: 0, middle: 0, high: 0 };
  return kickOffsMs.map((kickOffAtMs) => {
    const outlook = outlookOf(now, kickOffAtMs);
    if ('why' in outlook.range) return outlook;
    const { low, middle, high } = outlook.range;
    before = {
      low: Math.max(before.low, low),
      middle: Math.max(before.middle, middle),
      high: Math.max(before.high, high),
    };
    return { ...outlook, range: { ...outlook.range, ...before } };
  });
}

/** Returns the usual figures, which only the ground has. */
export function readUsual(now: RowNow): Pick<Outlook, 'usualPerMinute' | 'usualAtKickOff'> {
  const { nowMs, crowdMs, valid, history } = now;
  const perMinute = history.usualPerMinute((minuteOf(nowMs) - crowdMs) / MINUTE_MS);
  const atKickOff = history.usualShare(0);
  return {
    ...(perMinute !== null && { usualPerMinute: perMinute * valid }),
    ...(atKickOff !== null && { usualAtKickOff: countAt(now, atKickOff) }),
  };
}

function expectedToCome(now: RowNow): ExpectedToCome {
  const { coming } = now.history;
  return {
    count: Math.max(now.admitted, countAt(now, coming?.share ?? 1)),
    matches: coming?.matches ?? 0,
  };
}

/** Returns the count once this share of the valid tickets is in, beside those who are in without one. */
function countAt({ valid, invalid }: RowNow, share: number): number {
  return invalid + share * valid;
}

type Ranged = Pick<Outlook, 'lateness' | 'range'>;

function findRange(now: RowNow, kickOffAtMs: number, leftMin: number): Ranged {
  const { nowMs, crowdMs, admitted, bestOfFive, seen, history } = now;
  const atMin = (nowMs - crowdMs) / MINUTE_MS;
  if (atMin < -CURVE_FROM_MIN) return none('early');
  const answer = history.answer({ atMin, targetMin: (kickOffAtMs - crowdMs) / MINUTE_MS, seen });
  if (!answer) return none('few-matches');
  const { low, middle, high, matches, lateness } = answer;
  // Before the crowd comes, the best rate of earlier matches shows what the gates can pass, not today's.
  const rates = [bestOfFive, history.bestRate].filter((rate) => rate !== null);
  const bound = rates.length === 0 ? null : reached(now, Math.max(...rates), leftMin);
  const pending = Math.max(0, stillToEnter(now));
  const countOf = (share: number): number => Math.min(bound ?? Infinity, admitted + pending * share);
  const range: ForecastRange = {
    low: countOf(low),
    middle: countOf(middle),
    high: countOf(high),
    matches,
    coverage: matches >= MIN_MATCHES_FOR_COVERAGE ? COVERAGE : null,
    bound,
  };
  return { lateness, range };
}

/** Returns the count after `minutes` at a rate. */
function reached({ admitted }: RowNow, perMinute: number, minutes: number): number {
  return admitted + Math.max(0, perMinute) * minutes;
}

function none(why: NoRange['why']): Ranged {
  return { lateness: null, range: { why } };
}

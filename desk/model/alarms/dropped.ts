import { MINUTE_MS } from '../series/minute.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import { sumTotals } from '../series/sum-totals.ts';
import type { DroppedFigures } from './alarm.ts';
import { type FlowWindow, ratePerMinute } from './flow-windows.ts';
import {
  DROP_DEVIATIONS,
  DROP_ENDS_AFTER_KICK_OFF_MS,
  DROP_HELD_MS,
  DROP_VARIANCE,
  DROP_WINDOW_MS,
  DROPPED_BELOW,
  GROUND_DEVIATIONS,
  GROUND_DROPPED_BELOW,
  GROUND_DROP_ENDS_AFTER_KICK_OFF_MS,
  GROUND_MIN_EXPECTED,
  GROUND_VARIANCE,
  GROUND_WINDOW_MS,
  MIN_EXPECTED_TO_DROP,
  MIN_EXPECTED_TO_HOLD,
  MAX_ATTENDANCE,
  PENDING_SHARE_TO_DROP,
  RECOVERED_ABOVE,
  RECOVERED_FOR_MS,
} from './limits.ts';
import { isExpected, type Situation } from './situation.ts';

/** A sector by its index, or the whole ground. */
export type Dropping = number | 'ground';

interface DropRule {
  readonly windowMs: number;
  readonly minExpected: number;
  /** The largest share of the expected entries that is a drop. */
  readonly below: number;
  readonly deviations: number;
  readonly variance: number;
  readonly endsAfterKickOffMs: number;
}

const SECTOR_RULE: DropRule = {
  windowMs: DROP_WINDOW_MS,
  minExpected: MIN_EXPECTED_TO_DROP,
  below: DROPPED_BELOW,
  deviations: DROP_DEVIATIONS,
  variance: DROP_VARIANCE,
  endsAfterKickOffMs: DROP_ENDS_AFTER_KICK_OFF_MS,
};
const GROUND_RULE: DropRule = {
  windowMs: GROUND_WINDOW_MS,
  minExpected: GROUND_MIN_EXPECTED,
  below: GROUND_DROPPED_BELOW,
  deviations: GROUND_DEVIATIONS,
  variance: GROUND_VARIANCE,
  endsAfterKickOffMs: GROUND_DROP_ENDS_AFTER_KICK_OFF_MS,
};

/** Returns the figures if clearly fewer people than expected have entered for DROP_HELD_MS. */
export function findDrop(situation: Situation, what: Dropping): DroppedFigures | undefined {
  const { atMs, windows } = situation;
  if (!mayDrop(situation, what)) return undefined;
  const now = dropAt(situation, what, atMs);
  if (!now?.isDrop) return undefined;
  // The drop must hold at each observed boundary of that time.
  for (const ms of windows.observedMs) {
    if (ms === atMs) continue;
    if (!dropAt(situation, what, ms)?.isDrop) return undefined;
    if (ms <= atMs - DROP_HELD_MS) return now.figures;
  }
  return undefined;
}

/** Whether the rule applies. */
export function mayDrop(situation: Situation, what: Dropping): boolean {
  const { atMs, kickOffAtMs, totals, appliesFromMs } = situation;
  if (atMs > kickOffAtMs + ruleOf(what).endsAfterKickOffMs) return false;
  const applies = totals.filter((_, place) => isOf(what, place) && appliesFromMs[place] !== Infinity);
  return applies.length > 0 && isExpected(situation, sumTotals(applies), PENDING_SHARE_TO_DROP);
}

/**
 * Compares the flow with what was expected when the alarm was raised; `undefined` if unknown. A base that moved with the time
 * would contain the drop itself after a quarter of an hour. Sectors that were marked since are left out of both sides; where
 * the others are as usual, nobody knows whether the drop is over.
 */
export function isStillDropped(
  situation: Situation,
  what: Dropping,
  raised: DroppedFigures,
): DroppedFigures | 'resolved' | 'withdrawn' | undefined {
  const { atMs, windows } = situation;
  let current: DroppedFigures | undefined;
  for (const ms of windows.observedMs) {
    const window = windows.ending(ms, ruleOf(what).windowMs);
    const base = window && { ...raised, ...unmarked(situation, raised, window.fromMs) };
    const counts = base && countIn(situation, what, window, window.fromMs, base.bySector);
    if (!counts) return current;
    const expected = expectedIn(window, base, counts.elsewhere);
    const { entered } = counts;
    current ??= { ...base, entered, expected, windowMs: window.toMs - window.fromMs };
    if (entered <= RECOVERED_ABOVE * expected && expected >= MIN_EXPECTED_TO_HOLD) return current;
    if (ms <= atMs - RECOVERED_FOR_MS)
      return sectorsOf(current).length < sectorsOf(raised).length ? 'withdrawn' : 'resolved';
  }
  return current;
}

/** The base of a ground's alarm without the sectors to which the rules no longer apply. */
function unmarked(
  { codes, appliesFromMs }: Situation,
  { bySector }: DroppedFigures,
  sinceMs: number,
): Pick<DroppedFigures, 'before' | 'bySector'> | undefined {
  if (!bySector) return undefined;
  const left = Object.entries(bySector).filter(
    ([code]) => (appliesFromMs[codes.indexOf(code)] ?? Infinity) <= sinceMs,
  );
  return { before: left.reduce((sum, [, before]) => sum + before, 0), bySector: Object.fromEntries(left) };
}

function sectorsOf({ bySector = {} }: DroppedFigures): readonly string[] {
  return Object.keys(bySector);
}

interface Counts {
  readonly entered: number;
  /** Entries in the other sectors. */
  readonly elsewhere: number;
}

function dropAt(
  situation: Situation,
  what: Dropping,
  atMs: number,
): { readonly isDrop: boolean; readonly figures: DroppedFigures } | undefined {
  const { windows, appliesFromMs, codes } = situation;
  const { windowMs, minExpected, below, deviations, variance } = ruleOf(what);
  const window = windows.ending(atMs, windowMs);
  const base = window && windows.baseBefore(window.fromMs);
  if (!window || !base) return undefined;
  if (what !== 'ground' && window.fromMs < (appliesFromMs[what] ?? Infinity)) return undefined;
  const earlier = what === 'ground' ? base : windows.baseBefore(base.fromMs);
  if (!earlier) return undefined;
  const inWindow = countIn(situation, what, window, earlier.fromMs);
  const inBase = countIn(situation, what, base, earlier.fromMs);
  const inEarlier = countIn(situation, what, earlier, earlier.fromMs);
  if (!inWindow || !inBase || !inEarlier || inBase.entered <= 0) return undefined;
  const before = ratePerMinute(inBase.entered, base);
  // The smallest share: a convoy enters within ten minutes, and its end is no drop.
  const share =
    what === 'ground'
      ? null
      : Math.min(shareOf(inBase), shareOf(inEarlier), shareOfPending(situation, what, base, earlier.fromMs));
  const expected = expectedIn(window, { before, share }, inWindow.elsewhere);
  const { entered } = inWindow;
  const deviation = Math.sqrt(variance * (expected + expected ** 2 / inBase.entered));
  const isDrop =
    expected >= minExpected && entered < below * expected && expected - entered > deviations * deviation;
  const figures = { entered, expected, windowMs: window.toMs - window.fromMs, before, share };
  if (what !== 'ground' || !isDrop) return { isDrop, figures };
  const compared = [...(windows.flow(base) ?? []).entries()].flatMap(([place, count]) =>
    (appliesFromMs[place] ?? Infinity) <= earlier.fromMs
      ? [[codes[place] ?? '', ratePerMinute(count, base)] as const]
      : [],
  );
  return { isDrop, figures: { ...figures, bySector: Object.fromEntries(compared) } };
}

/**
 * Counts the entries there and in comparable sectors, to which the rules have applied since `sinceMs`: of the ground, only in
 * those of `bySector`.
 */
function countIn(
  { windows, appliesFromMs, codes }: Situation,
  what: Dropping,
  window: FlowWindow,
  sinceMs: number,
  bySector?: DroppedFigures['bySector'],
): Counts | undefined {
  const flow = windows.flow(window);
  if (!flow) return undefined;
  let all = 0;
  for (let place = 0; place < flow.length; place += 1) {
    const isCompared = !bySector || (codes[place] ?? '') in bySector;
    if (place !== what && isCompared && (appliesFromMs[place] ?? Infinity) <= sinceMs)
      all += flow[place] ?? 0;
  }
  return what === 'ground' ? { entered: all, elsewhere: 0 } : { entered: flow[what] ?? 0, elsewhere: all };
}

/** A sector that is ahead of the others has fewer people left to come. */
function shareOfPending(
  { windows, totals, appliesFromMs }: Situation,
  what: number,
  base: FlowWindow,
  sinceMs: number,
): number {
  const flow = windows.flow(base);
  let elsewhere = 0;
  for (const [place, sector] of totals.entries()) {
    const isCompared = place !== what && (appliesFromMs[place] ?? Infinity) <= sinceMs;
    if (isCompared && (flow?.[place] ?? 0) > 0)
      elsewhere += Math.max(0, stillToEnter(sector, MAX_ATTENDANCE));
  }
  const own = totals[what];
  return shareOf({ entered: own ? stillToEnter(own, MAX_ATTENDANCE) : 0, elsewhere });
}

function shareOf({ entered, elsewhere }: Counts): number {
  return elsewhere > 0 ? entered / elsewhere : 0;
}

/** Expects the rate before, but no more than the share of entries elsewhere: a common fall is no drop. */
function expectedIn(
  { fromMs, toMs }: FlowWindow,
  { before, share }: Pick<DroppedFigures, 'before' | 'share'>,
  elsewhere: number,
): number {
  const own = (before * (toMs - fromMs)) / MINUTE_MS;
  return share === null ? own : Math.min(own, share * Math.max(0, elsewhere));
}

function isOf(what: Dropping, place: number): boolean {
  return what === 'ground' || what === place;
}

function ruleOf(what: Dropping): DropRule {
  return what === 'ground' ? GROUND_RULE : SECTOR_RULE;
}

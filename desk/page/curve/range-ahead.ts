import type { Outlook } from '../../model/forecast/forecast.ts';
import { roundedRange } from '../../model/forecast/rounded-range.ts';
import { type UsualCurve, usualShareAt } from '../../model/forecast/usual-curve.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { endsAtBound } from '../answer/range-table.ts';

/** The range from now to kick-off, minute by minute. */
export interface RangeAhead {
  readonly edges: readonly RangeEdge[];
  readonly toMs: number;
  /** The rounded ends at kick-off. */
  readonly low: number;
  readonly high: number;
  /** Whether both ends are the most that can enter at the best rate that is known. */
  readonly isMost: boolean;
}

interface RangeEdge {
  readonly atMs: number;
  readonly low: number;
  readonly high: number;
}

interface RangeSources {
  readonly outlook: Outlook;
  readonly usual: UsualCurve;
  /** The kick-off that people came for, to which the usual curve refers. */
  readonly crowdMs: number;
  readonly fromMs: number;
}

/**
 * Until kick-off the middle of the range follows the usual curve, shifted by today's lateness, so that it rises late for a late
 * crowd. Its width grows with the square root of the progress, like errors that add up step by step. Null without a range.
 */
export function rangeAhead({ outlook, usual, crowdMs, fromMs }: RangeSources): RangeAhead | null {
  const { admitted, valid, kickOffAtMs, lateness, range } = outlook;
  if ('why' in range) return null;
  const { low, high } = roundedRange(range, outlook);
  const middle = Math.min(high, Math.max(low, range.middle));
  const shareAt = (atMs: number): number =>
    usualShareAt(usual, (atMs - crowdMs) / MINUTE_MS - (lateness ?? 0));
  const [first, wayToGo] = [shareAt(fromMs), shareAt(kickOffAtMs) - shareAt(fromMs)];
  const wayAt = (atMs: number): number =>
    wayToGo > 0 ? Math.min(1, Math.max(0, (shareAt(atMs) - first) / wayToGo)) : Number(atMs === kickOffAtMs);
  const minutes = Math.max(0, Math.ceil((kickOffAtMs - fromMs) / MINUTE_MS));
  const times = [...Array.from({ length: minutes }, (_, n) => fromMs + n * MINUTE_MS), kickOffAtMs];
  const edges = times.map((atMs) => {
    const way = wayAt(atMs);
    const along = admitted + way * (middle - admitted);
    const grown = Math.sqrt(way);
    return {
      atMs,
      // Nobody leaves, and nobody enters without a ticket.
      low: Math.max(admitted, along - grown * (middle - low)),
      high: Math.min(Math.max(admitted, valid), along + grown * (high - middle)),
    };
  });
  return { edges, toMs: kickOffAtMs, low, high, isMost: low === high && endsAtBound(range) };
}

import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { BRIDGED_MIN, CURVE_FROM_MIN, CURVE_TO_MIN } from './limits.ts';

/** One known minute of a sector or of the whole ground. */
export interface MinuteCount {
  /** When it began. */
  readonly minuteMs: number;
  /** At its end. */
  readonly admitted: number;
  readonly net: number;
  readonly valid: number;
  readonly lots: number;
}

/**
 * How many were in and valid, minute by minute to kick-off: the first value CURVE_FROM_MIN minutes before it, the last one
 * CURVE_TO_MIN after. Beyond the minutes that are known it goes on flat.
 */
export interface MatchCurve {
  readonly admitted: Float64Array;
  readonly valid: Float64Array;
  /** The first and the last whole minute to kick-off that is known; all between are, or bridged over a short gap. */
  readonly fromMin: number;
  readonly toMin: number;
  /** The best mean of five minutes without lots, per minute; null where no five are known. */
  readonly bestRate: number | null;
}

/** How many values a curve has. */
export const CURVE_LENGTH = CURVE_FROM_MIN + CURVE_TO_MIN + 1;

interface Point {
  /** Minutes to kick-off. */
  readonly min: number;
  readonly admitted: number;
  readonly valid: number;
}

/** Of minutes in their order: those around kick-off, as far as they hang together. Null where that was not watched. */
export function readMatchCurve(minutes: readonly MinuteCount[], kickOffAtMs: number): MatchCurve | null {
  const points = pointsAround(minutes, kickOffAtMs);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const admitted = new Float64Array(CURVE_LENGTH);
  const valid = new Float64Array(CURVE_LENGTH);
  let place = 0;
  for (let index = 0; index < CURVE_LENGTH; index += 1) {
    const min = index - CURVE_FROM_MIN;
    while ((points[place + 1]?.min ?? Infinity) <= min) place += 1;
    const before = points[place] ?? last;
    const after = points[place + 1] ?? before;
    const way = after === before ? 0 : Math.max(0, (min - before.min) / (after.min - before.min));
    admitted[index] = before.admitted + way * (after.admitted - before.admitted);
    valid[index] = before.valid + way * (after.valid - before.valid);
  }
  return {
    admitted,
    valid,
    // Before anybody was in, nobody was.
    fromMin: first.admitted === 0 ? -CURVE_FROM_MIN : Math.max(-CURVE_FROM_MIN, Math.ceil(first.min)),
    toMin: Math.min(CURVE_TO_MIN, Math.floor(last.min)),
    bestRate: bestRateOf(minutes),
  };
}

/** Both ends of each minute, as long as no more than BRIDGED_MIN are missing on end; those that kick-off is within. */
function pointsAround(minutes: readonly MinuteCount[], kickOffAtMs: number): readonly Point[] {
  let points: Point[] = [];
  for (const { minuteMs, admitted, net, valid } of minutes) {
    const min = (minuteMs - kickOffAtMs) / MINUTE_MS;
    const before = points.at(-1);
    if (before && min - before.min > BRIDGED_MIN) {
      if (before.min >= 0) return points;
      points = [];
    }
    if (points.at(-1)?.min !== min) points.push({ min, admitted: admitted - net, valid });
    points.push({ min: min + 1, admitted, valid });
  }
  const isAround = (points[0]?.min ?? Infinity) <= 0 && (points.at(-1)?.min ?? -Infinity) >= 0;
  return isAround ? points : [];
}

function bestRateOf(minutes: readonly MinuteCount[]): number | null {
  let best: number | null = null;
  let run: MinuteCount[] = [];
  for (const minute of minutes) {
    const goesOn = run.at(-1)?.minuteMs === minute.minuteMs - MINUTE_MS;
    run = goesOn ? [...run.slice(1 - SUSTAINED_MINUTES), minute] : [minute];
    if (run.length < SUSTAINED_MINUTES) continue;
    const rate = run.reduce((sum, { net, lots }) => sum + net - lots, 0) / SUSTAINED_MINUTES;
    best = Math.max(best ?? rate, rate);
  }
  return best;
}

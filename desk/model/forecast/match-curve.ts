import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { BRIDGED_MIN, CURVE_FROM_MIN, CURVE_TO_MIN } from './limits.ts';

/** A confirmed minute of a sector or of the whole ground. */
export interface MinuteCount {
  readonly minuteMs: number;
  /** The count at its end. */
  readonly admitted: number;
  readonly net: number;
  readonly valid: number;
  /** The part of `net` that no rate includes: late batches, and tickets that were moved. */
  readonly lots: number;
}

/**
 * Admitted and valid tickets per minute, from CURVE_FROM_MIN minutes before kick-off to CURVE_TO_MIN after. Beyond the
 * confirmed minutes the curve is flat.
 */
export interface MatchCurve {
  readonly admitted: Float64Array;
  readonly valid: Float64Array;
  /** The first and the last confirmed minute to kick-off; those between are confirmed, or bridge a short gap. */
  readonly fromMin: number;
  readonly toMin: number;
  /** The best mean of five minutes without late batches, per minute; null without five confirmed ones. */
  readonly bestRate: number | null;
}

export const CURVE_LENGTH = CURVE_FROM_MIN + CURVE_TO_MIN + 1;

interface Point {
  /** Minutes to kick-off. */
  readonly min: number;
  readonly admitted: number;
  readonly valid: number;
}

/** Reads the contiguous minutes around kick-off from minutes in order. Null if kick-off was not observed. */
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
    // A curve that begins at 0 was 0 before.
    fromMin: first.admitted === 0 ? -CURVE_FROM_MIN : Math.max(-CURVE_FROM_MIN, Math.ceil(first.min)),
    toMin: Math.min(CURVE_TO_MIN, Math.floor(last.min)),
    bestRate: bestRateOf(minutes),
  };
}

/** Returns both ends of each minute around kick-off, with gaps of at most BRIDGED_MIN. */
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

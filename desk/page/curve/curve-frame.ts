import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { CurveModel } from './curve-model.ts';
import { type LinearScale, linearScale, ticksTo } from './linear-scale.ts';
import type { Box, PlacedLabel } from './place-labels.ts';
import { placeMoments } from './place-moments.ts';
import type { RangeAhead } from './range-ahead.ts';
import { textWidth } from './text-width.ts';

/** A size in pixels. `remPx` is part of it, as the page's letters grow with the screen. */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly remPx: number;
}

/** The areas of the chart from top to bottom: names of moments, curve, markers of the log, columns, times. */
export interface CurveFrame {
  readonly size: Size;
  readonly fontPx: number;
  readonly lineHeight: number;
  readonly x: LinearScale;
  /** Admitted people. */
  readonly y: (admitted: number) => number;
  readonly yTicks: readonly Tick[];
  /** People a minute, at most `mostRate`. */
  readonly rate: (perMinute: number) => number;
  readonly mostRate: number;
  readonly rateTicks: readonly Tick[];
  readonly curve: Box;
  /** The area of the log's markers. */
  readonly strip: Box;
  readonly columns: Box;
  readonly moments: readonly PlacedLabel[];
}

interface Tick {
  readonly count: number;
  readonly text: string;
}

const MIN_REM = 0.75;
const MAX_REM = 0.9375;
const CHART_PX_A_FONT_PX = 42;
/** The space between an axis and its labels. */
export const PAD_PX = 6;
const COLUMNS_SHARE = 0.24;
/** The scale covers a needed rate up to this multiple of the best minute; beyond it the columns would be flat. */
const MAX_NEEDED = 2.5;
const MIN_RATE = 5;
const MIN_COUNT = 10;

export function curveFrame(model: CurveModel, size: Size): CurveFrame {
  const { width, height, remPx } = size;
  const wantedPx = Math.min(width, 1.3 * height) / CHART_PX_A_FONT_PX;
  const fontPx = Math.round(Math.min(MAX_REM * remPx, Math.max(MIN_REM * remPx, wantedPx)));
  const lineHeight = Math.ceil(1.25 * fontPx);
  const most = highestCount(model);
  const yTicks = ticksOf(most, Math.floor(height / (5 * lineHeight)));
  const mostRate = highestRate(model);
  const rateTicks = ticksOf(mostRate, 2).filter(({ count }) => count > 0);
  const left = Math.max(...[...yTicks, ...rateTicks].map(({ text }) => textWidth(text, fontPx))) + PAD_PX;
  const { fromMs, toMs } = model.window;
  let right = width - PAD_PX;
  let x = linearScale([fromMs, toMs], [left, right]);
  const numbersPx = model.range ? rangeTextWidth(model.range, fontPx) + 2 * PAD_PX : 0;
  // The numbers of the range need room behind kick-off.
  const behindPx = model.range ? width - x(model.range.toMs) : 0;
  if (model.range && behindPx < numbersPx) {
    const shrunk = (width - numbersPx - left) / (x(model.range.toMs) - left);
    if (shrunk > 0.5) right = left + shrunk * (right - left);
    x = linearScale([fromMs, toMs], [left, right]);
  }
  const moments = placeMoments(model.moments, x, { width, fontPx, lineHeight });
  const top = Math.max(0, ...moments.map((label) => label.y + label.height));
  const stripHeight = lineHeight;
  const rest = height - top - stripHeight - 2 * lineHeight - 3 * PAD_PX;
  const columnsHeight = Math.max(0, COLUMNS_SHARE * rest);
  const inner = { x: left, width: right - left };
  const curve = { ...inner, y: top, height: Math.max(0, rest - columnsHeight) };
  const strip = { ...inner, y: curve.y + curve.height + PAD_PX, height: stripHeight };
  const columns = { ...inner, y: strip.y + stripHeight + lineHeight + PAD_PX, height: columnsHeight };
  // The name of the highest ceiling stands above it.
  const highest = curve.y + Math.min(lineHeight + 4, curve.height);
  const y = linearScale([0, most], [curve.y + curve.height, highest]);
  const rateUnclamped = linearScale([0, mostRate], [columns.y + columns.height, columns.y]);
  const rate = (perMinute: number): number => rateUnclamped(Math.min(mostRate, Math.max(0, perMinute)));
  return {
    size,
    fontPx,
    lineHeight,
    x,
    y,
    yTicks: thinned(yTicks, y, lineHeight),
    rate,
    mostRate,
    rateTicks: thinned(rateTicks, rate, lineHeight),
    curve,
    strip,
    columns,
    moments,
  };
}

function highestCount({ runs, usual, range, ceilings }: CurveModel): number {
  return Math.max(
    MIN_COUNT,
    range?.high ?? 0,
    ...ceilings.map(({ count }) => count),
    ...runs.flatMap((run) => run.map(({ admitted }) => admitted)),
    ...(usual?.points ?? []).map(({ admitted }) => admitted),
  );
}

function highestRate({ columns, needed }: CurveModel): number {
  const best = Math.max(0, ...columns.map(({ perMinute }) => perMinute));
  const wanted = needed?.perMinute ?? 0;
  return Math.max(MIN_RATE, best, best === 0 ? wanted : Math.min(wanted, MAX_NEEDED * best));
}

/** The texts are "10 mil" if all ticks are whole thousands. */
function ticksOf(most: number, count: number): readonly Tick[] {
  const ticks = ticksTo(most, Math.min(5, Math.max(2, count))).filter(Number.isInteger);
  const areThousands = ticks.every((tick) => tick % 1_000 === 0) && (ticks.at(-1) ?? 0) > 0;
  return ticks.map((tick) => ({
    count: tick,
    text: areThousands && tick > 0 ? `${formatCount(tick / 1_000)} mil` : formatCount(tick),
  }));
}

/** Keeps as many ticks as fit, the highest among them. */
function thinned(ticks: readonly Tick[], scale: CurveFrame['y'], lineHeight: number): readonly Tick[] {
  const [first, second] = ticks;
  const stepPx = first && second ? scale(first.count) - scale(second.count) : lineHeight;
  const every = Math.ceil(lineHeight / Math.max(1, stepPx));
  return ticks.filter((_tick, index) => (ticks.length - 1 - index) % every === 0);
}

export function columnWidth({ x }: CurveFrame): number {
  const minutePx = x(MINUTE_MS) - x(0);
  return Math.max(0.5, minutePx > 3 ? minutePx - 1 : 0.75 * minutePx);
}

function rangeTextWidth(range: RangeAhead, fontPx: number): number {
  return Math.max(...[range.low, range.high].map((count) => textWidth(rangeEndText(range, count), fontPx)));
}

/** "9.800"; "≤ 9.800" where it is a ceiling, and no forecast. */
export function rangeEndText({ isMost }: RangeAhead, count: number): string {
  return `${isMost ? '≤\u00A0' : ''}${formatCount(Math.round(count))}`;
}

import { line } from 'd3-shape';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatTime } from '../event-time.ts';
import { columnWidth, curveFrame, type CurveFrame, PAD_PX, type Size } from './curve-frame.ts';
import { curveLabels, type RangeSpots } from './curve-labels.ts';
import type { CurveModel, Point } from './curve-model.ts';
import type { MarkerKind } from './log-marker.ts';
import type { Box, PlacedLabel, Spot } from './place-labels.ts';
import { momentTop } from './place-moments.ts';
import { textWidth } from './text-width.ts';
import { createOffsetReader } from '../../../domain/time-zone.ts';
import type { TimeWindow } from './curve-window.ts';

/** The shapes of the chart, in pixels from its top left corner. */
export interface CurveLayout extends CurveFrame {
  /** All known runs in one path. */
  readonly linePath: string;
  /** Straight lines across the gaps. */
  readonly bridgesPath: string;
  /** Runs of a single moment. */
  readonly dots: readonly Spot[];
  readonly usualPath: string;
  readonly rangePath: string;
  readonly gaps: readonly Box[];
  readonly bars: readonly Box[];
  readonly ceilings: readonly { readonly kind: string; readonly y: number }[];
  /** The vertical lines below the names of moments. */
  readonly lines: readonly { readonly kind: string; readonly x: number; readonly y: number }[];
  readonly needed: { readonly fromX: number; readonly toX: number; readonly y: number } | null;
  readonly markers: readonly PlacedMarker[];
  readonly times: readonly PlacedLabel[];
  readonly labels: readonly PlacedLabel[];
}

interface PlacedMarker extends Spot {
  readonly kind: MarkerKind;
}

/** The size of a marker at 16 pixels a rem. */
const MARKER_PX = 11;

const URGENCY: readonly MarkerKind[] = [
  'evacuation',
  'alarm',
  'caveat',
  'order',
  'suspended',
  'occurrence',
  'lot',
];

export function layOutCurve(model: CurveModel, size: Size): CurveLayout {
  const frame = curveFrame(model, size);
  const { x, y, rate, columns, curve } = frame;
  const toSpot = ({ atMs, admitted }: Point): Spot => ({ x: round(x(atMs)), y: round(y(admitted)) });
  const runs = model.runs.map((run) => run.map(toSpot));
  const bridges = runs.slice(1).flatMap((run, index) => {
    const [from, to] = [runs[index]?.at(-1), run[0]];
    return from && to ? [[from, to]] : [];
  });
  const usual = (model.usual?.points ?? []).map(toSpot);
  const range = rangeSpots(model, frame);
  const needed = model.needed && {
    fromX: round(x(model.needed.fromMs)),
    toX: round(x(model.needed.toMs)),
    y: round(rate(model.needed.perMinute)),
  };
  const width = columnWidth(frame);
  const bars = model.columns.map(({ minuteMs, perMinute }) => {
    const top = round(rate(Math.max(0, perMinute)));
    return { x: round(x(minuteMs)), y: top, width: round(width), height: round(rate(0) - top) };
  });
  const lines = model.moments.map(({ kind, atMs }) => {
    const label = frame.moments.find((own) => own.kind === kind);
    return { kind, x: round(x(atMs)), y: label ? momentTop(label, x(atMs)) : 0 };
  });
  const ceilings = model.ceilings.map(({ kind, count }) => ({ kind, y: round(y(count)) }));
  const gaps = model.gaps.map(({ fromMs, toMs }) => ({
    x: round(x(fromMs)),
    y: curve.y,
    width: Math.max(0, round(x(toMs) - x(fromMs))),
    height: round(columns.y + columns.height - curve.y),
  }));
  return {
    ...frame,
    linePath: runs.map(pathOf).join(''),
    bridgesPath: bridges.map(pathOf).join(''),
    dots: runs.flatMap((run) => (run.length === 1 ? run : [])),
    usualPath: pathOf(usual),
    rangePath: areaOf(range),
    gaps,
    bars,
    ceilings,
    lines,
    needed,
    markers: placeMarkers(model, frame),
    times: placeTimes(model, frame),
    labels: curveLabels(model, frame, {
      runs: [...runs, ...bridges],
      usual,
      range,
      needed,
      lines,
      ceilings,
      bars,
      gaps,
    }),
  };
}

function rangeSpots({ range }: CurveModel, { x, y }: CurveFrame): RangeSpots | null {
  if (!range) return null;
  const spotsOf = (end: 'low' | 'high'): readonly Spot[] =>
    range.edges.map((edge) => ({ x: round(x(edge.atMs)), y: round(y(edge[end])) }));
  return { low: spotsOf('low'), high: spotsOf('high') };
}

const spotLine = line<Spot>(
  (spot) => spot.x,
  (spot) => spot.y,
);

function pathOf(spots: readonly Spot[]): string {
  return spotLine(spots as Spot[]) ?? '';
}

function areaOf(range: RangeSpots | null): string {
  return range ? `${pathOf([...range.high, ...range.low.toReversed()])}Z` : '';
}

/** Of markers that would cover each other, the most urgent one is drawn, and at its own time. */
function placeMarkers({ markers }: CurveModel, { x, strip, size }: CurveFrame): readonly PlacedMarker[] {
  const placed: PlacedMarker[] = [];
  const y = strip.y + strip.height / 2;
  const markerPx = (MARKER_PX * size.remPx) / 16;
  const inset = markerPx / 2;
  const mostUrgentFirst = markers.toSorted(
    (a, b) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind) || a.atMs - b.atMs,
  );
  for (const { atMs, kind } of mostUrgentFirst) {
    const markerX = round(Math.min(Math.max(x(atMs), strip.x + inset), strip.x + strip.width - inset));
    if (placed.every((other) => Math.abs(markerX - other.x) >= markerPx))
      placed.push({ x: markerX, y, kind });
  }
  return placed.toSorted((a, b) => a.x - b.x);
}

function placeTimes({ window, timeZone }: CurveModel, frame: CurveFrame): readonly PlacedLabel[] {
  const { x, fontPx, lineHeight, columns, size } = frame;
  const width = textWidth('00:00', fontPx);
  const most = Math.floor(columns.width / (width + 2 * PAD_PX)) + 1;
  const y = size.height - lineHeight;
  return timeTicks(window, timeZone, most)
    .map((ms) => ({
      text: formatTime(ms, timeZone),
      kind: 'time',
      x: Math.max(0, Math.min(x(ms) - width / 2, size.width - width)),
      y,
      width,
      height: lineHeight,
    }))
    .filter((label, index, all) => label.x >= (all[index - 1]?.x ?? -Infinity) + width + 2);
}

/** The x of a minute's end, where its total is drawn. */
export function minuteX({ x }: CurveFrame, minuteMs: number): number {
  return round(x(minuteMs + MINUTE_MS));
}

/** Rounds to a tenth of a pixel. */
function round(px: number): number {
  return Math.round(10 * px) / 10;
}

const STEPS_MIN = [5, 10, 15, 30, 60, 120, 180, 360] as const;

/** Returns at most `most` round times of the event's time zone. */
function timeTicks({ fromMs, toMs }: TimeWindow, timeZone: string, most: number): readonly number[] {
  const offsetMs = createOffsetReader(timeZone)(fromMs);
  const stepMin =
    STEPS_MIN.find((step) => (toMs - fromMs) / (step * MINUTE_MS) + 1 <= most) ?? STEPS_MIN.at(-1) ?? 60;
  const stepMs = stepMin * MINUTE_MS;
  const ticks: number[] = [];
  const firstMs = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs - offsetMs;
  for (let ms = firstMs; ms <= toMs; ms += stepMs) ticks.push(ms);
  return ticks;
}

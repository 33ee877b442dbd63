import type { Gap } from '../../model/series/gaps.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatNeeded } from '../figure-format.ts';
import { type CurveFrame, PAD_PX, rangeEndText } from './curve-frame.ts';
import type { CurveModel } from './curve-model.ts';
import { type Box, type LabelWish, type PlacedLabel, placeLabels, type Spot } from './place-labels.ts';
import { textWidth } from './text-width.ts';

/** The two edges of the range from now to kick-off. */
export interface RangeSpots {
  readonly low: readonly Spot[];
  readonly high: readonly Spot[];
}

/** The drawn shapes, which labels name and must not cover. */
export interface Drawn {
  readonly runs: readonly (readonly Spot[])[];
  readonly usual: readonly Spot[];
  readonly range: RangeSpots | null;
  readonly needed: { readonly fromX: number; readonly toX: number; readonly y: number } | null;
  readonly lines: readonly { readonly x: number }[];
  readonly ceilings: readonly { readonly kind: string; readonly y: number }[];
  readonly bars: readonly Box[];
  readonly gaps: readonly Box[];
}

const NEAR_PX = 5;
const STEP_PX = 4;
/** A number moves by at most this many steps before it is left out. */
const MAX_STEPS = 12;
/** This many gaps may have a label; the table lists all. */
const NAMED_GAPS = 3;
/** A shorter gap comes from a server that started within a minute. */
const MIN_NAMED_MS = 2 * MINUTE_MS;

/** Places the labels within the chart, each where it covers nothing; the numbers of the range come first. */
export function curveLabels(model: CurveModel, frame: CurveFrame, drawn: Drawn): readonly PlacedLabel[] {
  const { curve, columns, size } = frame;
  const wish: Wish = (kind, texts, spots) => ({
    kind,
    height: frame.lineHeight,
    wordings: texts.map((text) => {
      const width = textWidth(text, frame.fontPx);
      return { text, width, spots: spots(width) };
    }),
  });
  const { runs, usual, range } = drawn;
  const verticals = drawn.lines.map(({ x }) => [
    { x, y: curve.y },
    { x, y: columns.y + columns.height },
  ]);
  const horizontals = drawn.ceilings.map(({ y }) => [
    { x: curve.x, y },
    { x: curve.x + curve.width, y },
  ]);
  const needed = drawn.needed
    ? [
        [
          { x: drawn.needed.fromX, y: drawn.needed.y },
          { x: drawn.needed.toX, y: drawn.needed.y },
        ],
      ]
    : [];
  const edges = range ? [[...range.high, ...range.low.toReversed()]] : [];
  const bounds = { x: curve.x, y: curve.y, width: size.width - curve.x, height: curve.height };
  // The numbers of the range matter most: they may cover the thin line of earlier matches.
  const numbers: PlacedLabel[] = [];
  for (const number of rangeWishes(model, frame, range, wish)) {
    // The lower end's number stands below the upper end's, however near they are.
    const top = numbers.reduce((y, label) => Math.max(y, label.y + label.height), bounds.y);
    numbers.push(
      ...placeLabels([number], {
        bounds: { ...bounds, y: top, height: bounds.y + bounds.height - top },
        boxes: [],
        lines: [...runs, ...verticals, ...horizontals, ...edges],
      }),
    );
  }
  const above = placeLabels(
    [
      ...model.ceilings.map(({ kind, text, shortText, count }) =>
        wish(kind, [text, shortText, formatCount(count)], (width) =>
          ceilingSpots(frame, drawn.ceilings.find((own) => own.kind === kind)?.y ?? 0, width),
        ),
      ),
      ...(model.usual
        ? [
            wish('usual', [`média de ${formatCount(model.usual.matches)} jogos`], (width) =>
              besideLine(usual, width, frame),
            ),
          ]
        : []),
      ...drawn.gaps
        .filter((_, index) => isLong(model.gaps[index]))
        .slice(-NAMED_GAPS)
        .map((gap) => wish('gap', ['sem dados'], (width) => gapSpots(gap, width, frame))),
    ],
    {
      bounds,
      boxes: numbers,
      lines: [...runs, usual, ...verticals, ...horizontals, ...edges],
    },
  );
  const heading = wish('heading', ['acessos por minuto', 'por minuto'], () =>
    [columns.x, ...drawn.lines.map(({ x }) => x + NEAR_PX)].map((x) => ({
      x,
      y: columns.y - frame.lineHeight,
    })),
  );
  const neededName = wish('needed', neededTexts(model, frame), (width) => neededSpots(drawn, frame, width));
  const below = placeLabels([heading, neededName], {
    bounds: {
      x: columns.x,
      y: columns.y - frame.lineHeight - PAD_PX,
      width: size.width - columns.x,
      height: columns.height + frame.lineHeight + PAD_PX,
    },
    boxes: drawn.bars,
    lines: [...verticals, ...needed],
  });
  return [...numbers, ...above, ...below];
}

function isLong(gap: Gap | undefined): boolean {
  return gap !== undefined && gap.toMs - gap.fromMs >= MIN_NAMED_MS;
}

type Wish = (
  kind: string,
  /** The preferred text comes first. */
  texts: readonly string[],
  spots: (width: number) => readonly Spot[],
) => LabelWish;

/** The numbers stand behind kick-off, as near to their edge of the range as possible. */
function rangeWishes(
  { range }: CurveModel,
  { lineHeight }: CurveFrame,
  spots: RangeSpots | null,
  wish: Wish,
): readonly LabelWish[] {
  const [atHigh, atLow] = [spots?.high.at(-1), spots?.low.at(-1)];
  if (!range || !atHigh || !atLow) return [];
  const named = (count: number, spot: Spot, way: 1 | -1): LabelWish =>
    wish('range', [rangeEndText(range, count)], (width) => {
      const steps = Array.from({ length: MAX_STEPS }, (_, step) => way * step * STEP_PX);
      const tops = [...steps, ...steps.map((px) => -px)].map((px) => spot.y - lineHeight / 2 + px);
      return [spot.x + NEAR_PX, spot.x - NEAR_PX - width].flatMap((x) => tops.map((y) => ({ x, y })));
    });
  const high = named(range.high, atHigh, -1);
  return range.low === range.high ? [high] : [high, named(range.low, atLow, 1)];
}

/** The spots run along the ceiling from its left end, above it, then below it. */
function ceilingSpots({ curve, lineHeight }: CurveFrame, y: number, width: number): readonly Spot[] {
  const places = [0, 0.15, 0.3, 0.45, 0.6, 1].map(
    (part) => curve.x + NEAR_PX + part * (curve.width - width - 2 * NEAR_PX),
  );
  return [y - lineHeight - 2.5, y + 3].flatMap((top) => places.map((x) => ({ x, y: top })));
}

/** The spots stand to the upper left or lower right of a rising line, first where it is steep. */
function besideLine(spots: readonly Spot[], width: number, { lineHeight }: CurveFrame): readonly Spot[] {
  const places = [0.62, 0.55, 0.7, 0.48, 0.78, 0.4, 0.86, 0.94, 0.3, 0.2, 0.1, 1];
  const at = places.flatMap((part) => spots[Math.round(part * (spots.length - 1))] ?? []);
  return [1, 2, 4].flatMap((distance) =>
    at.flatMap(({ x, y }) => [
      { x: x - width - NEAR_PX * distance, y: y - lineHeight },
      { x: x + NEAR_PX * distance, y: y + 2 },
      { x: x - width - NEAR_PX * distance, y: y - lineHeight - NEAR_PX * distance },
    ]),
  );
}

/** The spots stand in the middle of a gap, then beside it. */
function gapSpots(gap: Box, width: number, { curve, lineHeight }: CurveFrame): readonly Spot[] {
  const heights = [0.12, 0.25, 0.4, 0.55, 0.7, 0.85].map((part) => curve.y + part * curve.height);
  const places = [gap.x + gap.width / 2 - width / 2, gap.x - width - NEAR_PX, gap.x + gap.width + NEAR_PX];
  return [
    ...heights.map((y) => ({ x: places[0] ?? 0, y })),
    ...places.slice(1).flatMap((x) => heights.map((y) => ({ x, y }))),
    { x: places[0] ?? 0, y: curve.y + curve.height - lineHeight },
  ];
}

function neededTexts({ needed }: CurveModel, { mostRate }: CurveFrame): readonly string[] {
  if (!needed) return [];
  const isBeyond = needed.perMinute > mostRate;
  const count = formatNeeded(needed.perMinute);
  return [`necessário ${count}${isBeyond ? ', acima da escala' : ''}`, `necessário ${count}`, count];
}

/** The spots stand behind the line, then above or below it. */
function neededSpots({ needed }: Drawn, { lineHeight }: CurveFrame, width: number): readonly Spot[] {
  if (!needed) return [];
  const { fromX, toX, y } = needed;
  const places = [toX - width - NEAR_PX, (fromX + toX - width) / 2, fromX, fromX - width, toX + NEAR_PX];
  return [
    { x: toX + NEAR_PX, y: y - lineHeight / 2 },
    ...[y - lineHeight - 3, y + 3].flatMap((top) => places.map((x) => ({ x, y: top }))),
  ];
}

import type { Gap } from '../../model/series/gaps.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatNeeded } from '../figure-format.ts';
import { type CurveFrame, PAD_PX } from './curve-frame.ts';
import type { CurveModel } from './curve-model.ts';
import { type Box, type LabelWish, type PlacedLabel, placeLabels, type Spot } from './place-labels.ts';
import { textWidth } from './text-width.ts';

/** From now to kick-off, along its two ends. */
export interface RangeSpots {
  readonly low: readonly Spot[];
  readonly high: readonly Spot[];
}

/** What labels are of, and must not cover. */
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
/** How many steps a number leaves its place, before it is left out. */
const MOST_STEPS = 12;
/** Of gaps, that many are named: the others are in the table. */
const NAMED_GAPS = 3;
/** A shorter one is that of a server that began within a minute. */
const SHORTEST_NAMED_MS = 2 * MINUTE_MS;

/** Names and numbers within the chart, each where nothing is in its way: those of the range first. */
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
  // What is asked first: these may stand on the thin line of earlier matches, whose name may not.
  const numbers = placeLabels(rangeWishes(model, frame, range, wish), {
    bounds,
    boxes: [],
    lines: [...runs, ...verticals, ...horizontals, ...edges],
  });
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
  return gap !== undefined && gap.toMs - gap.fromMs >= SHORTEST_NAMED_MS;
}

type Wish = (
  kind: string,
  /** The best first. */
  texts: readonly string[],
  spots: (width: number) => readonly Spot[],
) => LabelWish;

/** Behind kick-off, as near to its end of the range as another number lets it. */
function rangeWishes(
  { range }: CurveModel,
  { lineHeight }: CurveFrame,
  spots: RangeSpots | null,
  wish: Wish,
): readonly LabelWish[] {
  const [atHigh, atLow] = [spots?.high.at(-1), spots?.low.at(-1)];
  if (!range || !atHigh || !atLow) return [];
  const named = (count: number, spot: Spot, way: 1 | -1): LabelWish =>
    wish('range', [formatCount(Math.round(count))], (width) => {
      const away = Array.from({ length: MOST_STEPS }, (_, step) => way * step * STEP_PX);
      const tops = [...away, ...away.map((px) => -px)].map((px) => spot.y - lineHeight / 2 + px);
      return [spot.x + NEAR_PX, spot.x - NEAR_PX - width].flatMap((x) => tops.map((y) => ({ x, y })));
    });
  const high = named(range.high, atHigh, -1);
  return range.low === range.high ? [high] : [high, named(range.low, atLow, 1)];
}

/** At its left end, above it or below, then further along. */
function ceilingSpots({ curve, lineHeight }: CurveFrame, y: number, width: number): readonly Spot[] {
  const places = [0, 0.15, 0.3, 0.45, 0.6, 1].map(
    (part) => curve.x + NEAR_PX + part * (curve.width - width - 2 * NEAR_PX),
  );
  return [y - lineHeight - 2.5, y + 3].flatMap((top) => places.map((x) => ({ x, y: top })));
}

/** To the upper left of a line that rises, or to its lower right, where it is steep enough to be told from others. */
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

/** In its middle, at some height; else beside it. */
function gapSpots(gap: Box, width: number, { curve, lineHeight }: CurveFrame): readonly Spot[] {
  const heights = [0.12, 0.25, 0.4, 0.55, 0.7, 0.85].map((part) => curve.y + part * curve.height);
  const places = [gap.x + gap.width / 2 - width / 2, gap.x - width - NEAR_PX, gap.x + gap.width + NEAR_PX];
  return [
    ...heights.map((y) => ({ x: places[0] ?? 0, y })),
    ...places.slice(1).flatMap((x) => heights.map((y) => ({ x, y }))),
    { x: places[0] ?? 0, y: curve.y + curve.height - lineHeight },
  ];
}

function neededTexts({ needed }: CurveModel, { rate }: CurveFrame): readonly string[] {
  if (!needed) return [];
  const isBeyond = needed.perMinute > (rate.domain()[1] ?? 0);
  const count = formatNeeded(needed.perMinute);
  return [`necessário ${count}${isBeyond ? ', acima da escala' : ''}`, `necessário ${count}`, count];
}

/** Behind its line, above it, or below. */
function neededSpots({ needed }: Drawn, { lineHeight }: CurveFrame, width: number): readonly Spot[] {
  if (!needed) return [];
  const { fromX, toX, y } = needed;
  const places = [toX - width - NEAR_PX, (fromX + toX - width) / 2, fromX, fromX - width, toX + NEAR_PX];
  return [
    { x: toX + NEAR_PX, y: y - lineHeight / 2 },
    ...[y - lineHeight - 3, y + 3].flatMap((top) => places.map((x) => ({ x, y: top }))),
  ];
}

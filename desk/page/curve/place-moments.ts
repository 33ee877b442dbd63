import type { CurveModel } from './curve-model.ts';
import { isWithin, overlaps, type PlacedLabel } from './place-labels.ts';
import { textWidth } from './text-width.ts';

interface Room {
  readonly width: number;
  readonly fontPx: number;
  readonly lineHeight: number;
}

/** A name stands behind its line, before it, or upon it. */
const SIDES = [0, 1, 2] as const;
const NEAR_PX = 4;
/** Another row costs height of the curve; a name on the wrong side costs little. */
const ROW_COST = 10;

/** Places the names of moments above the chart in the fewest rows in which no line crosses the name of another moment. */
export function placeMoments(
  moments: CurveModel['moments'],
  x: (atMs: number) => number,
  room: Room,
): readonly PlacedLabel[] {
  const rows = moments.map((_, row) => row);
  const places = moments.map(({ kind, text, atMs }) =>
    rows.flatMap((row) =>
      SIDES.map((side) => ({ row, side, label: labelAt(kind, text, x(atMs), { row, side }, room) })),
    ),
  );
  const arrangements = places.reduce<readonly (readonly Place[])[]>(
    (sofar, own) => sofar.flatMap((before) => own.map((place) => [...before, place])),
    [[]],
  );
  const bounds = { x: 0, y: 0, width: room.width, height: moments.length * room.lineHeight };
  let best: readonly Place[] = [];
  let least = Infinity;
  for (const arrangement of arrangements) {
    const labels = arrangement.map(({ label }) => label);
    if (!areApart(labels) || !labels.every((label) => isWithin(label, bounds))) continue;
    const crossed = labels.filter((label) =>
      moments.some(({ kind, atMs }, index) => {
        const other = labels[index];
        return kind !== label.kind && other && goesThrough(x(atMs), momentTop(other, x(atMs)), label);
      }),
    ).length;
    const cost = arrangement.reduce(
      (sum, { side }) => sum + side,
      ROW_COST * (Math.max(0, ...arrangement.map(({ row }) => row)) + moments.length * crossed),
    );
    if (cost < least) [best, least] = [arrangement, cost];
  }
  return best.map(({ label }) => label);
}

interface Place {
  readonly row: number;
  readonly side: (typeof SIDES)[number];
  readonly label: PlacedLabel;
}

/** The top of a moment's line, beside its name or below it. */
export function momentTop(label: PlacedLabel, lineX: number): number {
  const isUpon = label.x < lineX && lineX < label.x + label.width;
  return isUpon ? label.y + label.height : label.y;
}

function labelAt(
  kind: string,
  text: string,
  lineX: number,
  { row, side }: Omit<Place, 'label'>,
  { width, fontPx, lineHeight }: Room,
): PlacedLabel {
  const textPx = textWidth(text, fontPx);
  const upon = Math.max(0, Math.min(lineX - textPx / 2, width - textPx));
  const x = [lineX + NEAR_PX, lineX - NEAR_PX - textPx, upon][side] ?? upon;
  return { kind, text, x, y: row * lineHeight, width: textPx, height: lineHeight };
}

function areApart(labels: readonly PlacedLabel[]): boolean {
  return labels.every((label, index) => labels.slice(index + 1).every((other) => !overlaps(label, other)));
}

function goesThrough(lineX: number, top: number, { x, y, width, height }: PlacedLabel): boolean {
  return lineX > x - 2 && lineX < x + width + 2 && top < y + height;
}

/** A rectangle in pixels from the top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** A label to place: the first wording with a free spot is used. */
export interface LabelWish {
  readonly kind: string;
  readonly height: number;
  readonly wordings: readonly Wording[];
}

interface Wording {
  readonly text: string;
  readonly width: number;
  /** Positions of the top left corner, the best first. */
  readonly spots: readonly Spot[];
}

export interface PlacedLabel extends Box {
  readonly text: string;
  readonly kind: string;
}

export interface Room {
  readonly bounds: Box;
  /** Boxes and lines that labels must not cover. */
  readonly boxes: readonly Box[];
  readonly lines: readonly (readonly Spot[])[];
}

/** The space between labels, and between a label and a line. */
const CLEAR_PX = 2;

/** Places the labels in order. A label without room is left out; the words beside the chart have it. */
export function placeLabels(
  wishes: readonly LabelWish[],
  { bounds, boxes, lines }: Room,
): readonly PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const isFree = (box: Box): boolean =>
    isWithin(box, bounds) &&
    ![...boxes, ...placed].some((other) => overlaps(box, other)) &&
    !lines.some((line) => crosses(box, line));
  for (const { kind, height, wordings } of wishes) {
    const labels = wordings.flatMap(({ text, width, spots }) =>
      spots.map(({ x, y }) => ({ text, kind, x, y, width, height })),
    );
    const label = labels.find(isFree);
    if (label) placed.push(label);
  }
  return placed;
}

export function isWithin(box: Box, bounds: Box): boolean {
  return (
    box.x >= bounds.x &&
    box.y >= bounds.y &&
    box.x + box.width <= bounds.x + bounds.width &&
    box.y + box.height <= bounds.y + bounds.height
  );
}

export function overlaps(a: Box, b: Box): boolean {
  return (
    a.x < b.x + b.width + CLEAR_PX &&
    b.x < a.x + a.width + CLEAR_PX &&
    a.y < b.y + b.height &&
    b.y < a.y + a.height
  );
}

export function crosses(box: Box, line: readonly Spot[]): boolean {
  return line.some((spot, index) => meets(box, line[index - 1] ?? spot, spot));
}

/** Whether a part of the segment is in the box, by clipping it at each side. */
function meets(box: Box, from: Spot, to: Spot): boolean {
  const [left, right] = [box.x - CLEAR_PX, box.x + box.width + CLEAR_PX];
  const [top, bottom] = [box.y - CLEAR_PX, box.y + box.height + CLEAR_PX];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  let [first, last] = [0, 1];
  for (const [way, room] of [
    [-dx, from.x - left],
    [dx, right - from.x],
    [-dy, from.y - top],
    [dy, bottom - from.y],
  ] as const) {
    if (way === 0) {
      if (room < 0) return false;
    } else if (way < 0) first = Math.max(first, room / way);
    else last = Math.min(last, room / way);
  }
  return first <= last;
}

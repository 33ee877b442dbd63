import type { RowLayout } from '../../domain/shown-venue.ts';

/** The largest numbers of rows in one column: in full size, in a smaller one, and on a portrait screen. */
const FULL_SIZE_ROWS = 13;
const MAX_WALL_ROWS = 20;
const MAX_PORTRAIT_ROWS = 32;

/** The widths of the default venue's longest name, of the counts, and between them, in em of a row's letters. */
const MIN_ROW_EM = 17.2;
const COUNT_EM = 3.8;
const GAP_EM = 0.2;

/** Inter's letters A to Z and a to z as they stand in a row, in hundredths of an em, rounded up. */
const CAPITALS = [
  71, 66, 73, 72, 60, 59, 75, 74, 27, 57, 68, 56, 90, 75, 77, 64, 77, 65, 64, 65, 74, 71, 101, 69, 68, 64,
];
const SMALL = [
  56, 61, 57, 61, 58, 33, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61, 61, 39, 53, 33, 59, 56, 81, 55, 56, 54,
];
const SPACE = 27;
const DIGIT_OR_SIGN = 66;
/** The width of a letter of another script, or of a sign as wide as "—". */
const OTHER = 130;

/** Known before a font has loaded, so that no font moves anything. */
export function rowLayout(names: readonly string[]): RowLayout {
  const count = names.length;
  const longest = Math.max(...names.map((name) => nameWidthEm(name)));
  const columnRows = Math.ceil(count / 2);
  const style = {
    '--rows': clamp(count, FULL_SIZE_ROWS, MAX_PORTRAIT_ROWS),
    '--column-rows': Math.max(columnRows, FULL_SIZE_ROWS),
    '--half-of-rows': columnRows,
    '--row-em': Math.max(MIN_ROW_EM, longest + GAP_EM + COUNT_EM).toFixed(2),
  };
  return {
    rows: count > MAX_PORTRAIT_ROWS ? 'most' : count > MAX_WALL_ROWS ? 'many' : '',
    style: Object.entries(style)
      .map(([name, value]) => `${name}:${value}`)
      .join(';'),
  };
}

/** Returns the width of a name on one line. */
function nameWidthEm(name: string): number {
  let hundredths = 0;
  // An accent stands above its letter.
  for (const character of name.normalize('NFD').replaceAll(/\p{Mn}/gu, '')) hundredths += widthOf(character);
  return hundredths / 100;
}

function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (character === ' ') return SPACE;
  return CAPITALS[code - 65] ?? SMALL[code - 97] ?? (code < 0x100 ? DIGIT_OR_SIGN : OTHER);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

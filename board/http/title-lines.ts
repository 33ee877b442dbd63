/** Rough widths of letters in the title's weight, in em, none too small for Inter. */
const NARROW_EM = 0.34;
const SMALL_EM = 0.57;
const CAPITAL_EM = 0.69;
const WIDE_EM = 0.95;

/** What one line holds for certain, and what each of several does: a word that does not fit leaves room behind it. */
const ONE_LINE_EM = 16;
const LINE_OF_SEVERAL_EM = 13.5;
const MOST_LINES = 5;

/**
 * How many lines the page reserves for the title where it is narrow. Known before a font has loaded, so that no font moves
 * what stands below the title.
 */
export function titleLines(title: string): number {
  let widthEm = 0;
  for (const character of title) widthEm += widthOf(character);
  if (widthEm <= ONE_LINE_EM) return 1;
  return Math.min(MOST_LINES, Math.ceil(widthEm / LINE_OF_SEVERAL_EM));
}

function widthOf(character: string): number {
  if (/[\s.,:;·'’|!ijlíìfrt()[\]/-]/.test(character)) return NARROW_EM;
  if (/[mwMW%@—]/.test(character)) return WIDE_EM;
  return /[\p{Lu}\p{N}&×]/u.test(character) ? CAPITAL_EM : SMALL_EM;
}

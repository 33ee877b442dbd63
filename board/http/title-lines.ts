/** Upper bounds of the widths of Inter's letters in the title's weight, in em. */
const NARROW_EM = 0.34;
const SMALL_EM = 0.57;
const CAPITAL_EM = 0.69;
const WIDE_EM = 0.95;

/** The width that certainly fits on a line. It is less on each of several lines, which end before a word that does not fit. */
const ONE_LINE_EM = 16;
const LINE_OF_SEVERAL_EM = 13.5;
const MAX_LINES = 5;

/**
 * Returns how many lines a narrow page reserves for the title. The number does not depend on a font having loaded, so
 * that nothing below the title moves when it loads.
 */
export function titleLines(title: string): number {
  let widthEm = 0;
  for (const character of title) widthEm += widthOf(character);
  if (widthEm <= ONE_LINE_EM) return 1;
  return Math.min(MAX_LINES, Math.ceil(widthEm / LINE_OF_SEVERAL_EM));
}

function widthOf(character: string): number {
  if (/[\s.,:;·'’|!ijlíìfrt()[\]/-]/.test(character)) return NARROW_EM;
  if (/[mwMW%@—]/.test(character)) return WIDE_EM;
  return /[\p{Lu}\p{N}&×]/u.test(character) ? CAPITAL_EM : SMALL_EM;
}

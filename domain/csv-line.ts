/** What ends a line (RFC 4180). */
const LINE_END = '\r\n';
/**
 * Where a spreadsheet takes a text for a formula: at the beginning of a cell, with white space or without, and, where it
 * was told that semicolons part cells (as in Brazil), behind any of those. The wide signs are those of East Asian input.
 */
const FORMULA = /(^|;)(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** Where there may be one: most texts are neither. */
const SUSPECT = /^[^\p{L}\d"{[]|;/u;

/** A line of a CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe before it (OWASP, "CSV Injection"). */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellText).join()}${LINE_END}`;
}

function cellText(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = SUSPECT.test(cell) ? cell.replaceAll(FORMULA, "$1'") : cell;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

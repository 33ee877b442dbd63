/** What ends a line (RFC 4180). */
const LINE_END = '\r\n';
/**
 * Where a spreadsheet takes a text for a formula: at the beginning of a cell, with white space or without, and, where it
 * was told that semicolons part cells (as in Brazil), behind any of those. The wide signs are those of East Asian input.
 */
const FORMULA = /(^|;)(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** The same, and behind a comma, which parts cells elsewhere. */
const FORMULA_IN_SHEET = /(^|[;,])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** Where there may be one: most texts are neither. */
const SUSPECT = /^[^\p{L}\d"{[]|;/u;
const SUSPECT_IN_SHEET = /^[^\p{L}\d"{[]|[;,]/u;

/** What a spreadsheet needs to take a file for UTF-8: it is at the beginning, before the first line. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** A line of a CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe before it (OWASP, "CSV Injection"). */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : textCell(cell))).join()}${LINE_END}`;
}

/**
 * A line of a CSV as spreadsheets in Brazil read it: semicolons part cells, and numbers have a decimal comma. No text is a
 * formula either, also where a spreadsheet parts cells at commas.
 */
export function sheetLine(cells: readonly (string | number | null)[]): string {
  const texts = cells.map((cell) =>
    typeof cell === 'number'
      ? String(cell).replace('.', ',')
      : textCell(cell, SUSPECT_IN_SHEET, FORMULA_IN_SHEET),
  );
  return `${texts.join(';')}${LINE_END}`;
}

function textCell(cell: string | null, suspect = SUSPECT, formula = FORMULA): string {
  if (cell === null) return '';
  const text = suspect.test(cell) ? cell.replaceAll(formula, "$1'") : cell;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

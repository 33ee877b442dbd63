const LINE_END = '\r\n';
/**
 * Places where a spreadsheet reads a formula: the beginning of a cell, also after white space, and after any semicolon where
 * semicolons separate cells, as in Brazil. The wide signs are those of East Asian input.
 */
const FORMULA = /(^|;)(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** The apostrophes there. */
const APOSTROPHE = /(^|;)'(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** The same places, and those after a comma, which separates cells elsewhere. */
const FORMULA_IN_SHEET = /(^|[;,])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/g;
/** A quick test that most texts fail. */
const SUSPECT = /^[^\p{L}\d"{[]|;/u;
const SUSPECT_IN_SHEET = /^[^\p{L}\d"{[]|[;,]/u;

/** Marks a file as UTF-8 for spreadsheets; it comes before the first line. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Returns a line of a CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe (OWASP, "CSV Injection"). */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : textCell(cell))).join()}${LINE_END}`;
}

/** Returns a text as it was before `csvLine` wrote it. */
export function textOfCell(cell: string): string {
  return cell.replaceAll(APOSTROPHE, '$1');
}

/**
 * Returns a line of a CSV for spreadsheets in Brazil: semicolons separate cells, and numbers have a decimal comma. No text is
 * a formula, also where commas separate cells.
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

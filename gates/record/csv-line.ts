/** What ends a line (RFC 4180). */
const LINE_END = '\r\n';
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of a CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe before it. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellText).join()}${LINE_END}`;
}

function cellText(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

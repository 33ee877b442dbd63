import { printable } from './errors.ts';

/** Returns the rows as printable lines of aligned columns. `right` has the indices of the right-aligned ones. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widthOf = (column: number): number => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const widths = (cells[0] ?? []).map((_cell, column) => widthOf(column));
  return cells.map((row) =>
    row
      .map((text, column) => text[right.includes(column) ? 'padStart' : 'padEnd'](widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

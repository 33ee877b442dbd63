import type { ReactNode } from 'react';

/** What a cell says, or several lines of it. */
type Cell = ReactNode;

export interface RecordRow {
  readonly key: string;
  readonly cells: readonly Cell[];
  /** It was taken back, or withdrawn: it is there and holds no more. */
  readonly isVoid?: boolean;
  readonly isTotal?: boolean;
}

interface RecordTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly RecordRow[];
  /** What stands there without a row. */
  readonly empty: string;
  /** How numbers are read. */
  readonly note?: string;
  readonly className?: string;
}

/** A table under its heading; its first column names the row. */
export function RecordTable({ title, columns, rows, empty, note, className = '' }: RecordTableProps) {
  return (
    <section className={`record-section ${className}`}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p>{empty}</p>
      ) : (
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells, isVoid = false, isTotal = false }) => (
              <tr key={key} className={isTotal ? 'is-total' : undefined} data-void={isVoid || undefined}>
                {cells.map((cell, place) =>
                  place === 0 ? (
                    <th key={columns[place]} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={columns[place]}>{cell}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {note !== undefined && rows.length > 0 && <p className="record-reading">{note}</p>}
    </section>
  );
}

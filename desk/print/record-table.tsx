import type { ReactNode } from 'react';

export interface RecordRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
  /** A row that was taken back is struck through. */
  readonly isVoid?: boolean;
  readonly isTotal?: boolean;
}

interface RecordTableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly RecordRow[];
  /** The explanation of its numbers. */
  readonly note?: string;
  readonly className?: string;
}

/** A table under its heading; its first column names the row. */
export function RecordTable({ title, columns, rows, note, className = '' }: RecordTableProps) {
  return (
    <section className={`record-section ${className}`}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p>Nada registrado.</p>
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
            {rows.map(({ key, cells, isVoid, isTotal }) => (
              <tr key={key} className={isTotal ? 'is-total' : undefined} data-void={isVoid || undefined}>
                {cells.map((cell, index) =>
                  index === 0 ? (
                    <th key={columns[index]} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={columns[index]}>{cell}</td>
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

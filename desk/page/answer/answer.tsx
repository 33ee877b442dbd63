import { Fragment } from 'react';
import type { AnswerFigure } from './answer-figures.ts';
import { answerWords } from './answer-words.ts';
import type { DeskView } from '../desk-view.ts';
import type { RangeColumn, RangeTable } from './range-table.ts';

/** Displays the needed rate, the current rate, and who will be in by kick-off, also if it is postponed. */
export function Answer({ view }: { readonly view: DeskView }) {
  const { figures, table, verdicts } = answerWords(view);
  return (
    <section className="answer" aria-label="ritmo e previsão">
      {figures.length > 0 && <Figures figures={figures} />}
      {table && <Ranges table={table} />}
      {verdicts.map(({ text, isCalled }) => (
        <p className="answer-note" key={text} data-called={isCalled || undefined}>
          {text}
        </p>
      ))}
    </section>
  );
}

function Figures({ figures }: { readonly figures: readonly AnswerFigure[] }) {
  return (
    <dl className="answer-figures">
      {figures.map(({ label, value, unit }) => (
        <div key={label}>
          <dt className="answer-label">{label}</dt>
          <dd>
            <strong>{value}</strong>
            {unit}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const COUNTS = ['range', 'best'] as const;

function Ranges({ table: { title, columns, base } }: { readonly table: RangeTable }) {
  return (
    <table className="ranges">
      <caption>
        <span className="ranges-caption">
          <span>{title}</span> {base !== null && <span>{base}</span>}
        </span>
      </caption>
      <thead>
        <tr>
          {columns.map(({ time, postponed }) => (
            <th key={time} scope="col">
              {time} <span>{postponed}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {COUNTS.filter((row) => columns.some((column) => column[row] !== null)).map((row) => (
          <tr key={row} data-row={row}>
            {columns.map((column) => (
              <td key={column.time}>
                <Cell column={column} row={row} />
              </td>
            ))}
          </tr>
        ))}
        {base === null && (
          <tr data-row="base">
            {columns.map((column) => (
              <td key={column.time}>{column.base}</td>
            ))}
          </tr>
        )}
      </tbody>
      {columns.some(({ needed }) => needed !== null) && (
        <tbody>
          <tr>
            <th colSpan={columns.length} scope="rowgroup">
              precisa, por minuto
            </th>
          </tr>
          <tr data-row="needed">
            {columns.map(({ time, needed }) => (
              <td key={time}>{needed ?? '—'}</td>
            ))}
          </tr>
        </tbody>
      )}
    </table>
  );
}

/** In a narrow column a range may wrap only behind its dash, or before the number. */
function Cell({ column, row }: { readonly column: RangeColumn; readonly row: (typeof COUNTS)[number] }) {
  const text = column[row] ?? '—';
  if (row !== 'range') return text;
  return text.split(/(?<=–|máximo) /).map((part, index) => (
    <Fragment key={index === 0 ? 'low' : 'high'}>
      {index > 0 && ' '}
      <span>{part}</span>
    </Fragment>
  ));
}

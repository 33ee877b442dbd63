import { useState } from 'react';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatRate } from '../figure-format.ts';
import { lotWords } from './log-marker.ts';
import { atLeast, type MinuteReading } from './minute-reading.ts';

/** Lists the minutes of the curve, the newest first; its rows are drawn once it is opened. */
export function MinuteTable({ readings }: { readonly readings: readonly MinuteReading[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="curve-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>minutos em tabela</summary>
      {isOpen && (
        <div role="region" aria-label="minutos em tabela" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">minuto</th>
                <th scope="col">acessos</th>
                <th scope="col">por minuto</th>
                <th scope="col">registro</th>
              </tr>
            </thead>
            <tbody>
              {readings.toReversed().map((reading) => (
                <Row key={reading.minuteMs} reading={reading} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function Row({ reading: { time, column, entries } }: { readonly reading: MinuteReading }) {
  const lots = column && column.lots !== 0 ? [lotWords(column.lots)] : [];
  return (
    <tr>
      <th scope="row">{time}</th>
      {column ? (
        <>
          <td>
            {atLeast(column.isAtLeast)}
            {formatCount(column.admitted)}
          </td>
          <td>
            {atLeast(column.isRateAtLeast)}
            {formatRate(column.perMinute)}
          </td>
        </>
      ) : (
        <td colSpan={2}>sem dados</td>
      )}
      <td>{[...lots, ...entries].join(' · ')}</td>
    </tr>
  );
}

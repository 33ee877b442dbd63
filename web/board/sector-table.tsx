import { useState } from 'react';
import { SECTORS, type SectorCode } from '../../domain/sector.ts';
import type { BoardState } from '../live/board-state.ts';
import type { Watched } from '../live/board-store.ts';
import { useBoard } from '../live/use-board.ts';
import { Count } from './count.tsx';
import { formatCount } from './number-format.ts';

/** The thirteen sectors, and below them those who entered with any other code. The page's lazy part. */
export function SectorTable({ board }: { readonly board: Watched<BoardState> }) {
  return (
    <section className="sectors">
      <table>
        <caption>total</caption>
        <thead>
          <tr>
            <th scope="col">Setor</th>
            <th scope="col">Acessos</th>
          </tr>
        </thead>
        <tbody>
          {SECTORS.map(({ code, name }, index) => (
            <tr
              key={code}
              data-stand-begins={standOf(name) === standOf(SECTORS[index - 1]?.name) ? undefined : ''}
            >
              <th scope="row">{name}</th>
              <CountCell board={board} code={code} />
            </tr>
          ))}
        </tbody>
      </table>
      <Others board={board} />
    </section>
  );
}

/** The stand is the first word of its sectors' names. */
function standOf(name: string | undefined): string | undefined {
  return name?.split(' ')[0];
}

function CountCell({ board, code }: { readonly board: Watched<BoardState>; readonly code: SectorCode }) {
  const count = useBoard(board, (state) => state.shown?.admissions.sectors[code]);
  const changes = useBoard(board, (state) => state.shown?.changes[code] ?? 0);
  const [changesBefore] = useState(changes);
  if (count === undefined) return <td>–</td>;
  const text = formatCount(count);
  // A new element starts the animation anew, from its peak, however often the count changed since the last paint.
  return (
    <td data-flash={changes === changesBefore ? undefined : ''}>
      <data key={changes} value={count} data-text={text}>
        {text}
      </data>
    </td>
  );
}

function Others({ board }: { readonly board: Watched<BoardState> }) {
  const others = useBoard(board, (state) => state.shown?.admissions.others ?? 0);
  if (others === 0) return null;
  return (
    <p className="others">
      <Count value={others} /> {others === 1 ? 'entrou' : 'entraram'} fora destes setores
    </p>
  );
}

import { useState } from 'react';
import { SECTORS, type SectorCode } from '../../domain/sector.ts';
import type { BoardState } from '../live/board-state.ts';
import type { Watched } from '../live/board-store.ts';
import { useBoard, useWatched } from '../live/use-board.ts';
import { Count } from './count.tsx';
import { type Flashes, watchFlashes } from './flashes.ts';

/** The thirteen sectors, and below them those who entered with any other code. The page's lazy part. */
export function SectorTable({ board }: { readonly board: Watched<BoardState> }) {
  const [flashes] = useState(() => watchFlashes(board));
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
              <CountCell board={board} flashes={flashes} code={code} />
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

function CountCell(props: {
  readonly board: Watched<BoardState>;
  readonly flashes: Watched<Flashes>;
  readonly code: SectorCode;
}) {
  const { board, flashes, code } = props;
  const count = useBoard(board, (state) => state.shown?.admissions.sectors[code]);
  const stage = useWatched(flashes, (stages) => stages.get(code));
  return <td data-flash={stage}>{count === undefined ? '–' : <Count value={count} />}</td>;
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

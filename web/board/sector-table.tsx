import { useState } from 'react';
import { SECTOR_CODES, type SectorCode } from '../../domain/venue.ts';
import type { BoardState } from '../live/board-state.ts';
import type { Watched } from '../live/board-store.ts';
import { useWatched } from '../live/use-watched.ts';
import { Count } from './count.tsx';
import { type Flashes, watchFlashes } from './flashes.ts';
import { SECTOR_NAMES } from './sector-names.ts';

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
          {SECTOR_CODES.map((code, index) => (
            <tr
              key={code}
              data-stand-begins={standOf(code) === standOf(SECTOR_CODES[index - 1]) ? undefined : ''}
            >
              <th scope="row">{SECTOR_NAMES[code]}</th>
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
function standOf(code: SectorCode | undefined): string | undefined {
  return code && SECTOR_NAMES[code].split(' ')[0];
}

function CountCell(props: {
  readonly board: Watched<BoardState>;
  readonly flashes: Watched<Flashes>;
  readonly code: SectorCode;
}) {
  const { board, flashes, code } = props;
  const count = useWatched(board, (state) => state.shown?.admissions.sectors[code]);
  const stage = useWatched(flashes, (stages) => stages.get(code));
  return <td data-flash={stage}>{count === undefined ? '–' : <Count value={count} />}</td>;
}

function Others({ board }: { readonly board: Watched<BoardState> }) {
  const others = useWatched(board, (state) => state.shown?.admissions.others ?? 0);
  if (others === 0) return null;
  return (
    <p className="others">
      <Count value={others} />
      {` ${others === 1 ? 'entrou' : 'entraram'} fora destes setores`}
    </p>
  );
}

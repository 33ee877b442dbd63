import { useState } from 'react';
import type { SectorCode } from '../../domain/venue.ts';
import type { ReadableStore } from '../live/store.ts';
import { useStore } from '../live/use-store.ts';
import { Count } from './count.tsx';
import { type Flashes, watchFlashes } from './flashes.ts';
import type { BoardProps } from './board-props.ts';

/** A row of the table. */
interface Sector {
  readonly code: SectorCode;
  readonly name: string;
}

/** The sectors, in this order, and below them those who entered with any other code. */
export function SectorTable({ state, sectors }: BoardProps & { readonly sectors: readonly Sector[] }) {
  const [flashes] = useState(() => watchFlashes(state, codesOf(sectors)));
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
          {sectors.map((sector, index) => (
            <tr
              key={sector.code}
              data-stand-begins={standOf(sector) === standOf(sectors[index - 1]) ? undefined : ''}
            >
              <th scope="row">{sector.name}</th>
              <CountCell state={state} flashes={flashes} code={sector.code} />
            </tr>
          ))}
        </tbody>
      </table>
      <Others state={state} />
    </section>
  );
}

const codesOf = (sectors: readonly Sector[]) => sectors.map(({ code }) => code);

/** The stand is the first word of its sectors' names. */
function standOf(sector: Sector | undefined): string | undefined {
  return sector?.name.split(' ')[0];
}

function CountCell(props: {
  readonly state: BoardProps['state'];
  readonly flashes: ReadableStore<Flashes>;
  readonly code: SectorCode;
}) {
  const { state, flashes, code } = props;
  const count = useStore(state, ({ shown }) => shown?.admissions.sectors[code]);
  const stage = useStore(flashes, (stages) => stages.get(code));
  return <td data-flash={stage}>{count === undefined ? '–' : <Count value={count} />}</td>;
}

function Others({ state }: BoardProps) {
  const others = useStore(state, ({ shown }) => shown?.admissions.others ?? 0);
  if (others === 0) return null;
  return (
    <p className="others">
      <Count value={others} />
      {` ${others === 1 ? 'entrou' : 'entraram'} fora destes setores`}
    </p>
  );
}

import { useState } from 'react';
import type { ShownSector } from '../../domain/shown-venue.ts';
import type { ReadableStore } from '../live/store.ts';
import { useStore } from '../live/use-store.ts';
import { Count } from './count.tsx';
import { type Flashes, watchFlashes } from './flashes.ts';
import type { BoardProps } from './board-props.ts';

/**
 * The sectors, in this order, and below them those who entered with any other code. The roles are said, as a style sheet
 * that makes columns of a table takes them away in some browsers.
 */
export function SectorTable({ state, sectors }: BoardProps & { readonly sectors: readonly ShownSector[] }) {
  const [flashes] = useState(() => watchFlashes(state, codesOf(sectors)));
  return (
    <section className="sectors">
      <table role="table">
        <caption>total</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Setor
            </th>
            <th role="columnheader" scope="col">
              Acessos
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sectors.map((sector, index) => (
            <tr
              key={sector.code}
              role="row"
              data-stand-begins={sector.stand === sectors[index - 1]?.stand ? undefined : ''}
            >
              <th role="rowheader" scope="row">
                {sector.name}
              </th>
              <CountCell state={state} flashes={flashes} code={sector.code} />
            </tr>
          ))}
        </tbody>
      </table>
      <Others state={state} />
    </section>
  );
}

const codesOf = (sectors: readonly ShownSector[]) => sectors.map(({ code }) => code);

function CountCell(props: {
  readonly state: BoardProps['state'];
  readonly flashes: ReadableStore<Flashes>;
  readonly code: string;
}) {
  const { state, flashes, code } = props;
  const count = useStore(state, ({ shown }) => shown?.counts.sectors[code]);
  const stage = useStore(flashes, (stages) => stages.get(code));
  return (
    <td role="cell" data-flash={stage}>
      {count === undefined ? '–' : <Count value={count} />}
    </td>
  );
}

function Others({ state }: BoardProps) {
  const others = useStore(state, ({ shown }) => shown?.counts.others ?? 0);
  if (others === 0) return null;
  return (
    <p className="others">
      <Count value={others} />
      {` ${others === 1 ? 'entrou' : 'entraram'} fora destes setores`}
    </p>
  );
}

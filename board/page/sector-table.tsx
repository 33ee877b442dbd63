import { useState } from 'react';
import type { ShownSector } from '../../domain/shown-venue.ts';
import type { ReadableStore } from '../../page/store.ts';
import { useStore } from '../../page/use-store.ts';
import { Count } from './count.tsx';
import { EvacuationNotice, ROOM, useEvacuation } from './evacuation-notice.tsx';
import { type Flashes, watchFlashes } from './flashes.ts';
import { incompleteWords } from './incomplete-words.ts';
import type { BoardProps } from './board-props.ts';

/** The roles are explicit, as some browsers drop those of a table that a style sheet lays out in columns. */
export function SectorTable({ state, sectors }: BoardProps & { readonly sectors: readonly ShownSector[] }) {
  const [flashes] = useState(() => watchFlashes(state, codesOf(sectors)));
  const evacuation = useEvacuation(state);
  return (
    <section className="sectors" style={evacuation === undefined ? undefined : ROOM.section}>
      <table role="table" style={evacuation === undefined ? undefined : ROOM.table}>
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
      <Others state={state} sectors={sectors} />
      {evacuation !== undefined && <EvacuationNotice text={evacuation} />}
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
  const isAtLeast = useStore(state, ({ incomplete }) =>
    incomplete.some(({ row, kind }) => !kind && (row === null || row === code)),
  );
  return (
    <td role="cell" data-flash={stage}>
      {count === undefined ? '–' : <Count value={count} />}
      {isAtLeast && count !== undefined && <span className="at-least"> no mínimo</span>}
    </td>
  );
}

function Others({ state, sectors }: BoardProps & { readonly sectors: readonly ShownSector[] }) {
  const others = useStore(state, ({ shown }) => shown?.counts.others ?? 0);
  const rows = useStore(state, (current) => current.incomplete);
  const incomplete = rows.filter(({ kind }) => !kind);
  const words = incomplete[0] && incompleteWords(incomplete, sectors);
  if (others === 0 && !words) return null;
  return (
    <p className="others" data-incomplete={words && ''}>
      {words && <span>{words}</span>}
      {words && others > 0 && ' · '}
      {others > 0 && (
        <>
          <Count value={others} />
          {` ${others === 1 ? 'entrou' : 'entraram'} fora destes setores`}
        </>
      )}
    </p>
  );
}

import { createElement } from 'react';
import { createPortal } from 'react-dom';
import { FaultBoundary } from '../../page/fault-boundary.tsx';
import { ConnectionStatus } from '../../page/status.tsx';
import { useStore } from '../../page/use-store.ts';
import { AdmittedTotal } from './admitted-total.tsx';
import type { BoardProps, LazyPart } from './board-props.ts';
import type { OpenBoard } from './open-board.ts';

/** Draws everything that changes. React does not own the title, the event ID and the status's element. */
export function Board(props: { readonly board: OpenBoard; readonly statusPlace: Element }) {
  const { state, sectorTable, announcer } = props.board;
  const stale = useStore(state, ({ status }) => 'ageMs' in status);
  const known = useStore(state, ({ shown }) => shown !== undefined);
  const signedIn = useStore(state, (current) => current.signedIn);
  return (
    <>
      {createPortal(<ConnectionStatus state={state} />, props.statusPlace)}
      <div className="board" data-stale={stale ? '' : undefined}>
        <AdmittedTotal state={state} />
        {signedIn && <Part part={sectorTable} state={state} />}
        {known && <Part part={announcer} state={state} />}
      </div>
    </>
  );
}

function Part({ part, state }: BoardProps & { readonly part: LazyPart }) {
  const Loaded = useStore(part, (loaded) => loaded);
  return <FaultBoundary>{Loaded && createElement(Loaded, { state })}</FaultBoundary>;
}

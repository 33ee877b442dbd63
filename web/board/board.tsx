import { createElement, type ComponentType } from 'react';
import { createPortal } from 'react-dom';
import type { BoardState } from '../live/board-state.ts';
import type { Watched } from '../live/board-store.ts';
import { useWatched } from '../live/use-watched.ts';
import { AdmittedTotal } from './admitted-total.tsx';
import { FaultBoundary } from './fault-boundary.tsx';
import { ConnectionStatus } from './status.tsx';

type LazyPart = Watched<ComponentType<{ readonly board: Watched<BoardState> }> | undefined>;

/** Everything on the page that changes. The title, the event ID and the place of the status are not React's. */
export function Board(props: {
  readonly board: Watched<BoardState>;
  readonly statusPlace: Element;
  readonly sectorTable: LazyPart;
  readonly announcer: LazyPart;
}) {
  const { board, statusPlace } = props;
  const stale = useWatched(board, ({ status }) => status.kind !== 'connecting' && status.kind !== 'live');
  const known = useWatched(board, ({ shown }) => shown !== undefined);
  const signedIn = useWatched(board, (state) => state.signedIn);
  return (
    <>
      {createPortal(<ConnectionStatus board={board} />, statusPlace)}
      <div className="board" data-stale={stale ? '' : undefined}>
        <AdmittedTotal board={board} />
        {signedIn && <Part part={props.sectorTable} board={board} />}
        {known && <Part part={props.announcer} board={board} />}
      </div>
    </>
  );
}

function Part({ part, board }: { readonly part: LazyPart; readonly board: Watched<BoardState> }) {
  const Loaded = useWatched(part, (loaded) => loaded);
  return <FaultBoundary>{Loaded && createElement(Loaded, { board })}</FaultBoundary>;
}

import type { BoardState, Status } from '../live/board-state.ts';
import type { Watched } from '../live/board-store.ts';
import { useWatched } from '../live/use-watched.ts';
import { formatAge } from './number-format.ts';

const CAUSES = { 'no-connection': 'sem conexão', 'no-source': 'contagem desatualizada' } as const;

/** Whether the numbers can be trusted, in words, a shape and a colour. Same markup as in index.html. */
export function ConnectionStatus({ board }: { readonly board: Watched<BoardState> }) {
  const status = useWatched(board, (state) => state.status);
  // A new element for each kind: words of another length are no shift of the old ones.
  return (
    <p key={status.kind} className="status" data-status={status.kind}>
      <StatusWords status={status} />
    </p>
  );
}

function StatusWords({ status }: { readonly status: Status }) {
  switch (status.kind) {
    case 'connecting':
      return 'conectando';
    case 'live':
      return 'ao vivo';
    default:
      return (
        <>
          <span>{CAUSES[status.kind]}</span>
          {' · '}
          <span>último dado há {formatAge(status.ageMs)}</span>
        </>
      );
  }
}

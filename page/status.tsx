import { formatAge } from './design/number-format.ts';
import type { ReadableStore } from './store.ts';
import type { Status } from './trust/status.ts';
import { useStore } from './use-store.ts';

const CAUSES = { 'no-connection': 'sem conexão', 'no-source': 'contagem desatualizada' } as const;

/** Displays whether the numbers can be trusted, with the same markup as the page's HTML. */
export function ConnectionStatus({ state }: { readonly state: ReadableStore<{ readonly status: Status }> }) {
  const status = useStore(state, (current) => current.status);
  // A new element for each kind keeps words of another length from counting as a layout shift.
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
          <i> ·</i> <span>último dado há {formatAge(status.ageMs)}</span>
        </>
      );
  }
}

import { useStore } from '../../../page/use-store.ts';
import { useIsOutOfSight } from '../alarms/use-is-out-of-sight.ts';
import type { OpenDesk } from '../open-desk.ts';
import { lostWords, whyLost } from './lost-words.ts';

/** Returns why there is no connection; null while there is one, or while it may come by itself. */
export function useWhyLost({ page, failure }: OpenDesk): string | null {
  const status = useStore(page, (current) => current.status);
  const last = useStore(failure, (current) => current);
  return whyLost(status, last, navigator.onLine);
}

/** States that the figures are old while the strip is scrolled out of sight. */
export function LostLine({ desk }: { readonly desk: OpenDesk }) {
  const kind = useStore(desk.page, ({ status }) => status.kind);
  const words = useStore(desk.page, ({ status }) => lostWords(status));
  const why = useWhyLost(desk);
  const isOut = useIsOutOfSight('.strip .status', words === null ? undefined : kind);
  if (words === null || !isOut) return null;
  return (
    <p className="lost-line">
      <b>{words}</b>
      {why !== null && ` · ${why}`}
    </p>
  );
}

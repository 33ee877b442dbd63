import { useEffect, useRef, useState } from 'react';
import { useStore } from '../live/use-store.ts';
import { announceTotal, announceTrust } from './announcement.ts';
import type { BoardProps } from './board-props.ts';

const TOTAL_EVERY_MS = 30_000;
/** A live region is heard only if it was there, empty, before its text. */
const FIRST_AFTER_MS = 1_000;
/** A page that is brought back to the front is stale for a moment, which is not announced. */
const STALE_FOR_MS = 6_000;

/**
 * The board for screen readers: a polite live region, present from the first total on. A lazy part, as nothing of it is
 * seen.
 */
export function Announcer({ state }: BoardProps) {
  const [text, setText] = useState('');
  const stale = useStore(state, ({ status }) => status.kind !== 'live');
  const saidTotal = useRef<number>(undefined);
  const saidStale = useRef(false);

  useEffect(() => {
    const sayTotal = () => {
      const { shown, status, incomplete } = state.get();
      const total = shown?.counts.total;
      if (total === undefined || total === saidTotal.current || status.kind !== 'live') return;
      saidTotal.current = total;
      setText(announceTotal(total, incomplete.length > 0));
    };
    const first = setTimeout(sayTotal, FIRST_AFTER_MS);
    const timer = setInterval(sayTotal, TOTAL_EVERY_MS);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [state]);

  useEffect(() => {
    if (stale === saidStale.current) return undefined;
    const timer = setTimeout(
      () => {
        saidStale.current = stale;
        setText(announceTrust(stale));
      },
      stale ? STALE_FOR_MS : 0,
    );
    return () => clearTimeout(timer);
  }, [stale]);

  return (
    <p className="announcer" role="status">
      {text}
    </p>
  );
}

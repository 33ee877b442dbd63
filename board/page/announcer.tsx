import { useEffect, useRef, useState } from 'react';
import { useStore } from '../../page/use-store.ts';
import { announceTotal, announceTrust } from './announcement.ts';
import type { BoardProps } from './board-props.ts';

/** Screen readers announce a live region only if it was there, empty, before its text. */
const TICK_MS = 1_000;
/** The first total is announced at the first tick at which the page is live, each later one at every thirtieth. */
const TICKS_PER_TOTAL = 30;
/** A page that has just become visible is stale for a moment, which is not announced. */
const STALE_FOR_MS = 6_000;

/** The board for screen readers: a polite live region, present from the first total on. It loads lazily, as nobody sees it. */
export function Announcer({ state }: BoardProps) {
  const [text, setText] = useState('');
  const stale = useStore(state, ({ status }) => status.kind !== 'live');
  const announcedTotal = useRef<number>(undefined);
  const announcedStale = useRef(false);

  useEffect(() => {
    const announce = () => {
      const { shown, status, incomplete } = state.get();
      const total = shown?.counts.total;
      if (total === undefined || total === announcedTotal.current || status.kind !== 'live') return;
      announcedTotal.current = total;
      setText(
        announceTotal(
          total,
          incomplete.some(({ kind }) => !kind),
        ),
      );
    };
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (announcedTotal.current === undefined || ticks % TICKS_PER_TOTAL === 0) announce();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [state]);

  useEffect(() => {
    if (stale === announcedStale.current) return undefined;
    const timer = setTimeout(
      () => {
        announcedStale.current = stale;
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

import { type RefObject, useEffect, useRef } from 'react';

interface Calls {
  readonly calls: readonly string[];
  readonly isReplayed: boolean;
  /** The list does not move while an operator writes in it. */
  readonly isBusy: boolean;
}

/** Scrolls a list of alarms to its top when a new alarm calls, and when the page switches between live and replay. */
export function useScrollToNewCalls(
  list: RefObject<HTMLElement | null>,
  { calls, isReplayed, isBusy }: Calls,
): void {
  const last = useRef<{ readonly calls: ReadonlySet<string>; readonly isReplayed: boolean } | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = { calls: new Set(calls), isReplayed };
    const isSwitched = before?.isReplayed !== isReplayed;
    const hasNew = calls.some((call) => before?.calls.has(call) !== true);
    const column = list.current?.closest('.desk-alarms');
    if (column && (isSwitched || (hasNew && !isBusy))) column.scrollTop = 0;
  }, [list, calls, isReplayed, isBusy]);
}

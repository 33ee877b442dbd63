import { type RefObject, useEffect, useRef } from 'react';

interface Calls {
  /** By what names each. */
  readonly calls: readonly string[];
  readonly isReplayed: boolean;
  /** Somebody writes in the list: it does not move beneath them. */
  readonly isBusy: boolean;
}

/**
 * Where the alarms scroll in a place of their own, a new one is not above what is seen of them; nor does another time begin
 * where the last one was left.
 */
export function useShownCalls(
  list: RefObject<HTMLElement | null>,
  { calls, isReplayed, isBusy }: Calls,
): void {
  const shown = useRef<{ readonly calls: ReadonlySet<string>; readonly isReplayed: boolean } | null>(null);
  useEffect(() => {
    const before = shown.current;
    shown.current = { calls: new Set(calls), isReplayed };
    const isOtherTime = before?.isReplayed !== isReplayed;
    const hasNew = calls.some((call) => before?.calls.has(call) !== true);
    const place = list.current?.closest('.desk-alarms');
    if (place && (isOtherTime || (hasNew && !isBusy))) place.scrollTop = 0;
  }, [list, calls, isReplayed, isBusy]);
}

import { type RefObject, useEffect, useRef } from 'react';

interface FocusHandlers {
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/**
 * What had the focus within a part may go with what it stood on, without a word to anybody: `next` has it then, so that
 * nobody starts at the top of the page again; `instead`, where `next` is not shown. Returns what the part's element is told.
 */
export function useKeptFocus(
  next: RefObject<HTMLElement | null>,
  instead?: RefObject<HTMLElement | null>,
): FocusHandlers {
  const hadFocus = useRef(false);
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    next.current?.focus({ preventScroll: true });
    if (document.activeElement === document.body) instead?.current?.focus({ preventScroll: true });
  });
  return {
    onFocus: () => (hadFocus.current = true),
    // Another window has it: it comes back here.
    onBlur: () => (hadFocus.current = !document.hasFocus()),
  };
}

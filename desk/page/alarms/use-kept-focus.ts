import { type RefObject, useEffect, useRef } from 'react';

interface FocusHandlers {
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/**
 * When the focused element of a part disappears, the focus moves to `next`, or to `instead` where `next` is hidden, instead of
 * the top of the page. Returns the handlers of the part's element.
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
    // A focus in another window comes back here.
    onBlur: () => (hadFocus.current = !document.hasFocus()),
  };
}

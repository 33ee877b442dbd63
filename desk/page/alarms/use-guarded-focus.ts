import { type KeyboardEvent, useRef } from 'react';

/** No operator reads the next card faster. */
const READ_AFTER_MS = 1_000;

/** Focuses a button of a card by itself, and takes no Enter from a held key, or on a card that nobody can have read. */
export function useGuardedFocus(): {
  readonly focus: (button: HTMLElement) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
} {
  const focused = useRef<{ readonly button: HTMLElement; readonly atMs: number }>(null);
  return {
    focus(button) {
      focused.current = { button, atMs: performance.now() };
      button.focus();
    },
    onKeyDown(event) {
      const { button, atMs = 0 } = focused.current ?? {};
      const isUnread = event.target === button && performance.now() - atMs < READ_AFTER_MS;
      if (event.key === 'Enter' && (event.repeat || isUnread)) event.preventDefault();
    },
  };
}

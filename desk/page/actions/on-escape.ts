import type { KeyboardEvent } from 'react';

/** Handles Esc here, and keeps it from the elements around. */
export function onEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.stopPropagation();
    close();
  };
}

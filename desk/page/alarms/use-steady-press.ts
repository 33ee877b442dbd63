import { type MouseEvent, useLayoutEffect, useRef } from 'react';

/** No operator reads a card and presses its button faster. */
const STEADY_AFTER_MS = 400;

/**
 * Returns whether the cards have been in place long enough for a press to be intended. A new alarm moves the other cards
 * down, and a press just then would acknowledge the wrong one. `order`: the names of the cards, in order.
 */
export function useSteadyPress(order: string): () => boolean {
  const movedAtMs = useRef(-Infinity);
  const last = useRef(order);
  useLayoutEffect(() => {
    if (last.current !== order) movedAtMs.current = performance.now();
    last.current = order;
  }, [order]);
  return () => performance.now() - movedAtMs.current >= STEADY_AFTER_MS;
}

/** Returns a click handler that acts if `mayPress`, and always on the keyboard, where the focus stays on the button. */
export function pressed(mayPress: () => boolean, action: () => void): (event: MouseEvent) => void {
  return (event) => {
    const isByKeyboard = event.detail === 0;
    if (isByKeyboard || mayPress()) action();
  };
}

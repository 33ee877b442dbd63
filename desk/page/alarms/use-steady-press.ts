import { type MouseEvent, useLayoutEffect, useRef } from 'react';

/** Nobody reads and presses a button faster. */
const STEADY_AFTER_MS = 400;

/**
 * Whether the cards have stood still long enough for a press to be meant: a new alarm moves the others down, and the wrong one
 * would be acknowledged. `order` names the cards in their order.
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

/** Handles a press if it counts; one by keyboard always does, as the focus stays with its button. */
export function pressed(mayPress: () => boolean, what: () => void): (event: MouseEvent) => void {
  return (event) => {
    const isByKeyboard = event.detail === 0;
    if (isByKeyboard || mayPress()) what();
  };
}

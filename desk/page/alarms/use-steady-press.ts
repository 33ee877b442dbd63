import { type MouseEvent, useLayoutEffect, useRef } from 'react';

/** Nobody reads a button and presses it in less. */
const STEADY_AFTER_MS = 400;

/**
 * Whether what is pressed now has been there for long enough to be meant: an alarm that has just come moves the others down,
 * and the wrong one would be acknowledged. `order` says what stands where.
 */
export function useSteadyPress(order: string): () => boolean {
  const movedAtMs = useRef(-Infinity);
  const shown = useRef(order);
  useLayoutEffect(() => {
    if (shown.current !== order) movedAtMs.current = performance.now();
    shown.current = order;
  }, [order]);
  return () => performance.now() - movedAtMs.current >= STEADY_AFTER_MS;
}

/** Does `what` where a press counts; by keyboard, always: the focus stays with its button. */
export function pressed(mayPress: () => boolean, what: () => void): (event: MouseEvent) => void {
  return (event) => {
    const isByKeyboard = event.detail === 0;
    if (isByKeyboard || mayPress()) what();
  };
}

import { type RefObject, useEffect } from 'react';

/** Keeps `--actions-height` at the height of the element, for what lies above it on a phone. `isShown`: whether it is there. */
export function useActionsHeight(place: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    const element = place.current;
    if (!element || !isShown) return undefined;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--actions-height', `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, isShown]);
}

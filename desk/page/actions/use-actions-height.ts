import { type RefObject, useEffect } from 'react';

/**
 * Keeps `--actions-height` at the height of the element's place, for what lies above it on a phone. `isShown`: whether the
 * element is there.
 */
export function useActionsHeight(place: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    const element = place.current?.parentElement;
    if (!element || !isShown) return undefined;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty(
        '--actions-height',
        `${element.getBoundingClientRect().height}px`,
      ),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, isShown]);
}

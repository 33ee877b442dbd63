import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Size } from './curve-frame.ts';

/** Measures an element in whole pixels; null before the first measurement. */
export function useBoxSize(): readonly [RefObject<HTMLDivElement | null>, Size | null] {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  // The measurement comes before the first paint, so that an early print has the drawing.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = (): void => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      if (width === 0 || height === 0) return;
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setSize((before) => keepSame(before, { width, height, remPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, size];
}

function keepSame(before: Size | null, now: Size): Size {
  const isSame = before?.width === now.width && before.height === now.height && before.remPx === now.remPx;
  return isSame ? before : now;
}

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Size } from './curve-frame.ts';

/** How large an element is, in whole pixels; null before it is known. */
export function useBoxSize(): readonly [RefObject<HTMLDivElement | null>, Size | null] {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, size];
}

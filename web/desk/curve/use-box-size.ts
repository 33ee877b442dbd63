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
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setSize((before) => keepSame(before, { width, height, remPx }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, size];
}

function keepSame(before: Size | null, now: Size): Size {
  const isSame = before?.width === now.width && before.height === now.height && before.remPx === now.remPx;
  return isSame ? before : now;
}

import { useEffect, useState } from 'react';

/** Whether the first element with this selector is outside the viewport. `name` changes when another element may be the first. */
export function useIsOutOfSight(selector: string, name: string | undefined): boolean {
  const [isOut, setIsOut] = useState(false);
  useEffect(() => {
    const part = document.querySelector(selector);
    if (!part || name === undefined) return undefined;
    const observer = new IntersectionObserver((entries) =>
      setIsOut(entries.at(-1)?.isIntersecting === false),
    );
    observer.observe(part);
    return () => observer.disconnect();
  }, [selector, name]);
  return isOut;
}

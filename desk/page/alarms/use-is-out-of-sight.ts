import { useEffect, useState } from 'react';

/** Whether nothing of the first part with this selector is on the screen. `name`: another one than before may be the first. */
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

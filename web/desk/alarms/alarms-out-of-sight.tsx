import { useEffect, useState } from 'react';
import type { DeskView } from '../desk-view.ts';
import { alarmTitle } from './alarm-sentence.ts';
import { AlarmShape } from './alarm-shape.tsx';
import { callingAlarms } from './announcement.ts';
import { callOf } from './calling-alarms.ts';

/** While the alarms are scrolled out of sight, says which of them ask for somebody, and leads back to them. */
export function AlarmsOutOfSight({ view }: { readonly view: DeskView }) {
  const active =
    view.replay === null ? callingAlarms(view).filter(({ returnedAtMs }) => returnedAtMs === null) : [];
  const [first, ...others] = active;
  const isOut = useIsOutOfSight('.alarms [data-state="calling"] > .alarm-title', first && callOf(first));
  if (!isOut || !first) return null;
  return (
    <button type="button" className="alarms-out-of-sight" onClick={() => showHeading()}>
      <AlarmShape rule={first.rule} /> {alarmTitle(first, view)}
      {others.length > 0 && ` e mais ${others.length}`}
      <span className="alarms-out-of-sight-way"> · ver alarmes</span>
    </button>
  );
}

function showHeading(): void {
  document.querySelector<HTMLElement>('#alarms-heading')?.focus();
  window.scrollTo({ top: 0 });
}

/** Whether nothing of the first part with this selector is on the screen. `name`: another one than before may be the first. */
function useIsOutOfSight(selector: string, name: string | undefined): boolean {
  const [isOut, setIsOut] = useState(false);
  useEffect(() => {
    const part = document.querySelector(selector);
    if (!part || name === undefined) return undefined;
    const observer = new IntersectionObserver(([entry]) => setIsOut(entry?.isIntersecting === false));
    observer.observe(part);
    return () => observer.disconnect();
  }, [selector, name]);
  return isOut;
}

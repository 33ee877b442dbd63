import type { DeskView } from '../desk-view.ts';
import { alarmTitle, shownRule } from './alarm-sentence.ts';
import { AlarmShape } from './alarm-shape.tsx';
import { callingAlarms } from './announcement.ts';
import { callOf } from './calling-alarms.ts';
import { useIsOutOfSight } from './use-is-out-of-sight.ts';

/** Names the calling alarms while they are scrolled out of sight, and leads back to them. */
export function AlarmsOutOfSight({ view }: { readonly view: DeskView }) {
  const active =
    view.replay === null ? callingAlarms(view).filter(({ returnedAtMs }) => returnedAtMs === null) : [];
  const [first, ...others] = active;
  const isOut = useIsOutOfSight('.alarms [data-state="calling"] > .alarm-title', first && callOf(first));
  if (!isOut || !first) return null;
  return (
    <button type="button" className="alarms-out-of-sight" onClick={() => showHeading()}>
      <AlarmShape rule={shownRule(first, view)} /> {alarmTitle(first, view)}
      {others.length > 0 && ` e mais ${others.length}`}
      <span className="alarms-out-of-sight-way"> · ver alarmes</span>
    </button>
  );
}

function showHeading(): void {
  document.querySelector<HTMLElement>('#alarms-heading')?.focus();
  window.scrollTo({ top: 0 });
}

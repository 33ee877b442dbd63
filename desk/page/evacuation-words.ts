import { activeEntry } from './actions/active-entry.ts';
import type { DeskView } from './desk-view.ts';
import { formatTime } from './event-time.ts';

/** "desde 19:20, declarada por Ana"; null without an evacuation. */
export function evacuationWords({ state, log }: Pick<DeskView, 'state' | 'log'>): string | null {
  const { evacuatedAtMs, timeZone } = state;
  if (evacuatedAtMs === null) return null;
  const by = activeEntry(log, 'evacuation')?.by;
  return `desde ${formatTime(evacuatedAtMs, timeZone)}${by ? `, declarada por ${by}` : ''}`;
}

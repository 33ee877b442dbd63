import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView } from '../desk-view.ts';

/** The active alarm that has replaced this one, and says more of its sectors; `undefined`: none has. */
export function heirOf(alarm: Alarm, { state, log }: Pick<DeskView, 'state' | 'log'>): Alarm | undefined {
  const end = log.findLast((row) => row.kind === 'alarm-returned' && row.data.alarm === alarm.id);
  if (end?.kind !== 'alarm-returned' || end.data.why !== 'replaced') return undefined;
  const sectors = sectorsOf(alarm);
  return state.alarms.find(
    (other) =>
      other.id !== alarm.id &&
      other.returnedAtMs === null &&
      isOfCapacity(other) === isOfCapacity(alarm) &&
      sectorsOf(other).some((sector) => sectors.includes(sector)),
  );
}

function sectorsOf({ rule, sector, figures }: Alarm): readonly (string | null)[] {
  return rule === 'several-stopped' ? figures.sectors.map((each) => each.sector) : [sector];
}

function isOfCapacity({ rule }: Alarm): boolean {
  return rule.endsWith('-capacity');
}

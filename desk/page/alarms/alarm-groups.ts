import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskState } from '../../model/desk-state.ts';
import { isCalling } from './calling-alarms.ts';

/** Before kick-off one sector after the other fills, as it should: so many share a card. */
const MANY = 3;

type FillingRule = 'near-capacity' | 'at-capacity';

/** Sectors of which the same is to be said, in the order of their alarms. */
export interface AlarmGroup {
  readonly id: string;
  readonly rule: FillingRule;
  /** Else somebody knows of all of them. */
  readonly calls: boolean;
  readonly alarms: readonly FillingAlarm[];
}

type FillingAlarm = Extract<Alarm, { rule: FillingRule }>;

/**
 * The same in the same order, but sectors that are filling, MANY of them or more in the same state, as a group at the place
 * of the first. Those in `apart`, by their ids, stay by themselves: somebody is at work on them.
 */
export function groupAlarms(
  alarms: readonly Alarm[],
  state: Pick<DeskState, 'alarms' | 'suspensions' | 'evacuatedAtMs'>,
  apart: ReadonlySet<string>,
): readonly (Alarm | AlarmGroup)[] {
  const groups = new Map<string, FillingAlarm[]>();
  const groupOf = (alarm: Alarm): string | undefined => {
    if (!isFilling(alarm) || apart.has(alarm.id)) return undefined;
    const calls = isCalling(alarm, state);
    return calls || alarm.acknowledged ? `${alarm.rule} ${calls ? 'calling' : 'quiet'}` : undefined;
  };
  for (const alarm of alarms) {
    const group = groupOf(alarm);
    if (group !== undefined && isFilling(alarm)) groups.set(group, [...(groups.get(group) ?? []), alarm]);
  }
  return alarms.flatMap((alarm): readonly (Alarm | AlarmGroup)[] => {
    const id = groupOf(alarm);
    const members = id === undefined ? undefined : groups.get(id);
    const [first] = members ?? [];
    if (id === undefined || !members || !first || members.length < MANY) return [alarm];
    return alarm === first ? [{ id, rule: first.rule, calls: isCalling(first, state), alarms: members }] : [];
  });
}

export function isGroup(shown: Alarm | AlarmGroup): shown is AlarmGroup {
  return 'alarms' in shown;
}

function isFilling(alarm: Alarm): alarm is FillingAlarm {
  const { rule, sector, returnedAtMs } = alarm;
  return (rule === 'near-capacity' || rule === 'at-capacity') && sector !== null && returnedAtMs === null;
}

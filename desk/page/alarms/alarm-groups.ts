import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskState } from '../../model/desk-state.ts';
import { isCalling, suspensionOf } from './calling-alarms.ts';

/** Before kick-off the sectors fill one after the other; from this many on, their alarms share a card. */
const MANY = 3;

type FillingRule = 'near-capacity' | 'at-capacity';

/** Filling sectors in the same state, in the order of their alarms. */
export interface AlarmGroup {
  readonly id: string;
  readonly rule: FillingRule;
  /** False: all of them are acknowledged. */
  readonly calls: boolean;
  readonly alarms: readonly FillingAlarm[];
}

type FillingAlarm = Extract<Alarm, { rule: FillingRule }>;

/**
 * Groups filling sectors, if MANY or more are in the same state, at the position of the first, and keeps the order of the
 * alarms. What an operator has written about an alarm stands on its own card, as does a suspension. `apart`: the ids of alarms
 * that stay single, as an operator is working on them, or nobody else fits.
 */
export function groupAlarms(
  alarms: readonly Alarm[],
  state: Pick<DeskState, 'alarms' | 'suspensions' | 'evacuatedAtMs'>,
  apart: ReadonlySet<string>,
): readonly (Alarm | AlarmGroup)[] {
  const groups = new Map<string, FillingAlarm[]>();
  const groupOf = (alarm: Alarm): string | undefined => {
    if (!isFilling(alarm) || apart.has(alarm.id) || suspensionOf(alarm, state)) return undefined;
    if (alarm.acknowledged?.note) return undefined;
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

export function isGroup(item: Alarm | AlarmGroup): item is AlarmGroup {
  return 'alarms' in item;
}

function isFilling(alarm: Alarm): alarm is FillingAlarm {
  const { rule, sector, returnedAtMs } = alarm;
  return (rule === 'near-capacity' || rule === 'at-capacity') && sector !== null && returnedAtMs === null;
}

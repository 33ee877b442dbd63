import type { Alarm, AlarmRule, Suspension } from '../../model/alarms/alarm.ts';
import type { DeskState } from '../../model/desk-state.ts';

type AlarmsOfDesk = Pick<DeskState, 'alarms' | 'suspensions' | 'evacuatedAtMs'>;

/**
 * How soon somebody must act, the soonest first: more are in than may be; nothing can be trusted before the source is
 * looked at; people stand at a closed gate, or a sector is about to be full; fewer enter; a sector will be full.
 */
const URGENCY: Readonly<Record<AlarmRule, number>> = {
  'above-capacity': 0,
  'several-stopped': 1,
  'no-data': 1,
  stopped: 2,
  'at-capacity': 2,
  dropped: 3,
  'ground-dropped': 3,
  'near-capacity': 4,
};

export function suspensionOf(
  { rule, sector }: Pick<Alarm, 'rule' | 'sector'>,
  { suspensions }: Pick<DeskState, 'suspensions'>,
): Suspension | undefined {
  return suspensions.find((each) => each.rule === rule && each.sector === sector);
}

/**
 * Whether it asks for somebody: nobody has said "ciente", and it is not suspended. One that is over asks as well, so that
 * nothing passes unseen; but none does during an evacuation, which ends them all at once.
 */
export function isCalling(alarm: Alarm, state: AlarmsOfDesk): boolean {
  return !alarm.acknowledged && state.evacuatedAtMs === null && !suspensionOf(alarm, state);
}

/** One call of an alarm: again after an acknowledgement, it is another. */
export function callOf({ id, againAtMs }: Pick<Alarm, 'id' | 'againAtMs'>): string {
  return `${id} ${againAtMs ?? ''}`;
}

/**
 * Those that ask for somebody and go on come first, then those that somebody knows of and that go on; below them what is
 * over, and what is suspended. The most urgent first in each, the newest first among equals. On a phone only the first is
 * seen: it must be the one to act on, not the last that happened to come. Those in `inHand`, by their ids, stay where they
 * were when somebody began to write about them.
 */
export function inOrder(state: AlarmsOfDesk, inHand: ReadonlySet<string> = new Set()): readonly Alarm[] {
  const groupOf = (alarm: Alarm): number => {
    if (alarm.returnedAtMs !== null) return 2;
    if (inHand.has(alarm.id)) return 0;
    if (suspensionOf(alarm, state)) return 3;
    return alarm.acknowledged ? 1 : 0;
  };
  // Browsers of 2022 have no toSorted.
  // oxlint-disable-next-line unicorn/no-array-sort
  return [...state.alarms].sort(
    (a, b) => groupOf(a) - groupOf(b) || URGENCY[a.rule] - URGENCY[b.rule] || calledAtMs(b) - calledAtMs(a),
  );
}

function calledAtMs({ againAtMs, sinceMs }: Alarm): number {
  return againAtMs ?? sinceMs;
}

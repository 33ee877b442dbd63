import type { Alarm, AlarmRule, Suspension } from '../../model/alarms/alarm.ts';
import type { DeskState } from '../../model/desk-state.ts';
import { shownRule } from './alarm-sentence.ts';
import { isFull } from './capacity-sentence.ts';

type AlarmsOfDesk = Pick<DeskState, 'alarms' | 'suspensions' | 'evacuatedAtMs'>;

/**
 * The most urgent rules come first: more people are in than permitted; the source is in doubt, and every figure with it;
 * people stand at a closed gate, or a sector is nearly full; fewer people enter; a sector will be full.
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

/** The urgency of a capacity where nobody else fits: people who come must be turned away. */
const URGENCY_OF_FULL = 1.5;

export function suspensionOf(
  { rule, sector }: Pick<Alarm, 'rule' | 'sector'>,
  { suspensions }: Pick<DeskState, 'suspensions'>,
): Suspension | undefined {
  return suspensions.find((each) => each.rule === rule && each.sector === sector);
}

/**
 * An alarm calls while it is neither acknowledged nor suspended, even if it is over, so that none passes unseen. An
 * evacuation ends all calls at once.
 */
export function isCalling(alarm: Alarm, state: AlarmsOfDesk): boolean {
  return !alarm.acknowledged && state.evacuatedAtMs === null && !suspensionOf(alarm, state);
}

/** Names a call: an alarm that is raised again after an acknowledgement makes another one. */
export function callOf({ id, againAtMs }: Pick<Alarm, 'id' | 'againAtMs'>): string {
  return `${id} ${againAtMs ?? ''}`;
}

/**
 * Sorts the alarms: first active ones that call, then acknowledged ones, then those that are over, then suspended ones; in each
 * group by urgency, then the newest first. A phone displays only the first alarm, which must be the one to act on. `inHand`:
 * the ids of alarms about which an operator is writing; they stay in the first group.
 */
export function inOrder(state: DeskState, inHand: ReadonlySet<string> = new Set()): readonly Alarm[] {
  const groupOf = (alarm: Alarm): number => {
    if (alarm.returnedAtMs !== null) return 2;
    if (inHand.has(alarm.id)) return 0;
    if (suspensionOf(alarm, state)) return 3;
    return alarm.acknowledged ? 1 : 0;
  };
  const urgencyOf = (alarm: Alarm): number =>
    Math.min(URGENCY[shownRule(alarm, { state })], isFull(alarm, { state }) ? URGENCY_OF_FULL : Infinity);
  // Browsers of 2022 have no toSorted.
  // oxlint-disable-next-line unicorn/no-array-sort
  return [...state.alarms].sort(
    (a, b) => groupOf(a) - groupOf(b) || urgencyOf(a) - urgencyOf(b) || calledAtMs(b) - calledAtMs(a),
  );
}

function calledAtMs({ againAtMs, sinceMs }: Alarm): number {
  return againAtMs ?? sinceMs;
}

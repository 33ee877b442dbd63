import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView } from '../desk-view.ts';
import { evacuationWords } from '../evacuation-words.ts';
import { alarmSentence, alarmTitle } from './alarm-sentence.ts';
import { callOf, inOrder, isCalling } from './calling-alarms.ts';
import { RULE_SIGNS } from './rule-words.ts';

/** Further alarms are only counted, so that an announcement stays short. */
const MAX_ANNOUNCED = 3;

export function callingAlarms({ state }: Pick<DeskView, 'state'>): readonly Alarm[] {
  return inOrder(state).filter((alarm) => isCalling(alarm, state));
}

/** What was announced last. */
export interface Announced {
  readonly calls: ReadonlySet<string>;
  readonly evacuatedAtMs: number | null;
}

export const NOTHING_ANNOUNCED: Announced = { calls: new Set(), evacuatedAtMs: null };

/**
 * Returns the text of the live region: '' where what it says is over, as a reader of the page must not find it; `undefined` where
 * it stays.
 */
export function announce(
  before: Announced,
  view: DeskView,
): { text: string | undefined; announced: Announced } {
  const { evacuatedAtMs } = view.state;
  const announced = { calls: new Set(callingAlarms(view).map(callOf)), evacuatedAtMs };
  if (evacuatedAtMs !== null) {
    const isNew = evacuatedAtMs !== before.evacuatedAtMs;
    return { text: isNew ? `EVACUAÇÃO EM VIGOR ${evacuationWords(view) ?? ''}` : undefined, announced };
  }
  const isOver = before.evacuatedAtMs !== null || announced.calls.size === 0;
  return { text: announceAlarms(before.calls, view) ?? (isOver ? '' : undefined), announced };
}

/** The announcement of alarms that did not call before; `undefined` without any. */
export function announceAlarms(before: ReadonlySet<string>, view: DeskView): string | undefined {
  // An alarm that is over already stands in the list.
  const fresh = callingAlarms(view).filter(
    (alarm) => alarm.returnedAtMs === null && !before.has(callOf(alarm)),
  );
  if (fresh.length === 0) return undefined;
  const announced = fresh
    .slice(0, MAX_ANNOUNCED)
    .map((alarm) => `Alarme: ${alarmTitle(alarm, view)}. ${alarmSentence(alarm, view)}`);
  const more = fresh.length - announced.length;
  return [...announced, ...(more > 0 ? [`E mais ${more}.`] : [])].join(' ');
}

/** "(2) ■ Triagem · Palestra × Atlético", or "EVACUAÇÃO · …" during an evacuation, when no alarm calls. */
export function titleWith(title: string, calling: readonly Alarm[], isEvacuated = false): string {
  const [first] = calling;
  if (isEvacuated) return `EVACUAÇÃO · ${title}`;
  return first ? `(${calling.length}) ${RULE_SIGNS[first.rule]} ${title}` : title;
}

/** Removes the part of a title that `titleWith` has added. */
export function titleWithout(title: string): string {
  return title.replace(/^(?:\(\d+\) [■▼○◆▲]|EVACUAÇÃO ·) /u, '');
}

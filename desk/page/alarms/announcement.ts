import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView } from '../desk-view.ts';
import { alarmSentence, alarmTitle } from './alarm-sentence.ts';
import { callOf, inOrder, isCalling } from './calling-alarms.ts';
import { RULE_SIGNS } from './rule-words.ts';

/** More at once are counted: whoever listens hears the first ones to the end. */
const MOST_SAID = 3;

export function callingAlarms({ state }: Pick<DeskView, 'state'>): readonly Alarm[] {
  return inOrder(state).filter((alarm) => isCalling(alarm, state));
}

/** What a screen reader hears of those that call and did not before; `undefined`: nothing. */
export function announceAlarms(before: ReadonlySet<string>, view: DeskView): string | undefined {
  // What is over by the time that somebody listens needs nobody: it stands in the list.
  const fresh = callingAlarms(view).filter(
    (alarm) => alarm.returnedAtMs === null && !before.has(callOf(alarm)),
  );
  if (fresh.length === 0) return undefined;
  const said = fresh
    .slice(0, MOST_SAID)
    .map((alarm) => `Alarme: ${alarmTitle(alarm, view)}. ${alarmSentence(alarm, view)}`);
  const more = fresh.length - said.length;
  return [...said, ...(more > 0 ? [`E mais ${more}.`] : [])].join(' ');
}

/** "(2) ■ Triagem · Palestra × Atlético"; during an evacuation, "EVACUAÇÃO · …": nothing calls beside it. */
export function titleWith(title: string, calling: readonly Alarm[], isEvacuated = false): string {
  const [first] = calling;
  if (isEvacuated) return `EVACUAÇÃO · ${title}`;
  return first ? `(${calling.length}) ${RULE_SIGNS[first.rule]} ${title}` : title;
}

/** What of a title is of no alarm and no evacuation. */
export function titleWithout(title: string): string {
  return title.replace(/^(?:\(\d+\) [■▼○◆▲]|EVACUAÇÃO ·) /u, '');
}

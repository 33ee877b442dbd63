import type { Alarm } from '../../model/alarms/alarm.ts';
import { alarmAfter, raisedAlarm } from '../../model/alarms/alarm-states.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import type { DeskView } from '../desk-view.ts';
import { useKeptNames } from '../actions/kept-state.ts';

/** The kept keys of alarms on which an operator is working. */
export const IN_HAND = ['form ', 'sending acknowledge ', 'sending suspend '];

/** The same, and those of a text that was not sent, though its form is closed. */
const UNSENT = [...IN_HAND, 'note ', 'reason '];

/** The ended alarms with an open form, or with unsent text, whose cards stay until it is closed, sent or discarded. */
export function useEndedAlarms({ state, log, replay }: DeskView): readonly Alarm[] {
  const ids = useKeptNames(UNSENT);
  if (replay !== null) return [];
  return ids
    .filter((id) => state.alarms.every((alarm) => alarm.id !== id))
    .flatMap((id) => alarmFrom(log, id) ?? []);
}

/** Rebuilds an alarm from the log; `undefined` if the log does not have it. */
export function alarmFrom(log: readonly LogRow[], id: string): Alarm | undefined {
  let alarm: Alarm | undefined;
  for (const row of log) {
    if (row.kind === 'alarm' && row.id === id) alarm = raisedAlarm(row);
    else if (alarm && 'alarm' in row.data && row.data.alarm === id) alarm = alarmAfter(alarm, row);
  }
  return alarm;
}

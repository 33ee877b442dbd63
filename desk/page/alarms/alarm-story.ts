import type { Alarm } from '../../model/alarms/alarm.ts';
import { CALLS_AGAIN, returnWords, SILENTLY } from '../../model/alarms/alarm-words.ts';
import type { DeskView } from '../desk-view.ts';
import { suspensionOf } from './calling-alarms.ts';
import { formatTime } from '../event-time.ts';
import { newest } from './alarm-entries.ts';

/** The history of an alarm: "alarme às 18:33", "ciente: Ana, 18:35: “revista no portão 4”", … */
export function alarmStory(alarm: Alarm, view: Pick<DeskView, 'state' | 'log'>): readonly string[] {
  const { state, log } = view;
  const time = (atMs: number) => formatTime(atMs, state.timeZone);
  const { againAtMs, returnedAtMs, returnedWhy: why, acknowledged, isSilent } = alarm;
  const silently = isSilent ? `, ${SILENTLY}` : '';
  const story = [`alarme às ${time(alarm.sinceMs)}${againAtMs === null ? silently : ''}`];
  if (againAtMs !== null && isSilent) {
    story.push(`de novo às ${time(againAtMs)}${silently}`);
  } else if (againAtMs !== null) {
    const again = newest(log, 'alarm-again', alarm.id);
    const seen = newest(log, 'acknowledge', alarm.id);
    const who = seen?.by ? ` de ${seen.by}` : '';
    const note = seen?.data.note ? `: “${seen.data.note}”` : '';
    const unresolved = again?.data.why === 'unresolved' ? `: nada mudou depois do ciente${who}${note}` : '';
    story.push(`${CALLS_AGAIN} às ${time(againAtMs)}${unresolved}`);
  }
  if (returnedAtMs !== null) {
    const words = why === undefined ? 'terminou' : returnWords(why, alarm.rule);
    const at = why === 'withdrawn' ? ':' : ' às';
    story.push(
      `${words}${at} ${time(returnedAtMs)}${acknowledged || why === 'replaced' ? '' : '; falta o ciente'}`,
    );
  }
  if (acknowledged) {
    const { by, atMs, note } = acknowledged;
    story.push(`ciente: ${by === null ? '' : `${by}, `}${time(atMs)}${note === null ? '' : `: “${note}”`}`);
  }
  const suspension = suspensionOf(alarm, state);
  if (suspension) story.push(suspensionWords(suspension, time));
  return story;
}

/** "alarme suspenso até 18:50: “revista lenta” (Ana)". */
export function suspensionWords(
  { untilMs, reason, by }: DeskView['state']['suspensions'][number],
  time: (atMs: number) => string,
): string {
  return `alarme suspenso até ${time(untilMs)}: “${reason}”${by === null ? '' : ` (${by})`}`;
}

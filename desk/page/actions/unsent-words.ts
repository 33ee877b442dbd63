import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { suspensionOf } from '../alarms/calling-alarms.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { RULE_WORDS } from '../alarms/rule-words.ts';
import { alreadyWords } from '../log/already-words.ts';

type StateOfDesk = Pick<DeskView, 'state'>;

const OVER = 'O alarme já terminou';

/** Returns why the alarm can no longer be acknowledged; null where it can. */
export function whyNotAcknowledged(alarm: Alarm, view: StateOfDesk): string | null {
  const { acknowledged } = alarm;
  if (!acknowledged) return isInForce(alarm, view) ? null : OVER;
  return alreadyWords('Já está ciente', acknowledged.by, acknowledged.atMs, view);
}

/** Returns why the alarm can no longer be suspended; null where it can. */
export function whyNotSuspended(alarm: Alarm, view: StateOfDesk): string | null {
  const suspension = suspensionOf(alarm, view.state);
  if (suspension) {
    const who = suspension.by === null ? '' : ` por ${suspension.by}`;
    return `Já está suspenso${who} até ${time(suspension.untilMs, view)}`;
  }
  return isInForce(alarm, view) ? null : OVER;
}

/** Turns text about an alarm into an occurrence that names the alarm. */
export function occurrenceOf({ rule, sinceMs }: Alarm, text: string, view: StateOfDesk): string {
  const whole = `nota ao alarme das ${time(sinceMs, view)} (${RULE_WORDS[rule]}): ${text}`;
  return whole.length > MAX_TEXT_LENGTH ? text : whole;
}

function isInForce({ id }: Alarm, { state }: StateOfDesk): boolean {
  return state.alarms.some((alarm) => alarm.id === id);
}

function time(atMs: number, { state }: StateOfDesk): string {
  return formatTime(atMs, state.timeZone);
}

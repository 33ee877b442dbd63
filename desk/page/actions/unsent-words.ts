import { RULE_WORDS } from '../../model/alarms/alarm-words.ts';
import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { shownRule } from '../alarms/alarm-sentence.ts';
import { suspensionOf } from '../alarms/calling-alarms.ts';
import { heirOf } from '../alarms/heir.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import { alreadyWords } from '../log/already-words.ts';

type StateOfDesk = Pick<DeskView, 'state' | 'log'>;

const OVER = 'O alarme já terminou';
const ACKNOWLEDGED = 'Já está ciente';

/** Returns why nothing can be done about an alarm that is over; one that was replaced has not ended. */
function overWords(alarm: Alarm, view: StateOfDesk): string {
  const heir = heirOf(alarm, view);
  return heir ? `Este alarme agora faz parte de outro, “${RULE_WORDS[shownRule(heir, view)]}”` : OVER;
}

/** Why nobody can say "ciente" any more; null: somebody can. */
export function whyNotAcknowledged(alarm: Alarm, view: StateOfDesk): string | null {
  const { acknowledged, returnedWhy } = alarm;
  if (acknowledged) return alreadyWords(ACKNOWLEDGED, acknowledged.by, acknowledged.atMs, view);
  if (isInForce(alarm, view)) return null;
  // Nothing else ends what has returned; the log has not come yet.
  const isKnown = returnedWhy === undefined || returnedWhy === 'replaced';
  return isKnown ? overWords(alarm, view) : ACKNOWLEDGED;
}

/** Why it cannot be suspended any more; null: it can. What has returned would come back unheard. */
export function whyNotSuspended(alarm: Alarm, view: StateOfDesk): string | null {
  const suspension = suspensionOf(alarm, view.state);
  if (suspension) {
    const who = suspension.by === null ? '' : ` por ${suspension.by}`;
    return `O alarme já está suspenso${who} até ${time(suspension.untilMs, view)}`;
  }
  if (!isInForce(alarm, view)) return overWords(alarm, view);
  return alarm.returnedAtMs === null ? null : `${OVER}, às ${time(alarm.returnedAtMs, view)}`;
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

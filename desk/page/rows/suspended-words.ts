import { entriesOf, MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { MARK_WORDS } from '../alarms/rule-words.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { staleSinceMs } from '../stale-since.ts';

/** As the mean beside it. */
const MAX_MINUTES = 5;

/**
 * States since when the entry of a sector is suspended (null: of the whole ground): "entrada suspensa desde 19:31"; or that
 * readings come all the same: "entrada suspensa, mas entraram: 12 em 5 min", which are whole minutes after the mark.
 */
export function suspendedWords(view: DeskView, sector: string | null, sinceMs: number): string {
  const { nowMs, timeZone, rows } = view.state;
  const endMs = minuteOf(nowMs);
  const fromMs = Math.max(sinceMs, endMs - MAX_MINUTES * MINUTE_MS);
  const minutes = view.minutes.filter(({ minuteMs }) => minuteMs >= fromMs && minuteMs < endMs);
  const place = rows.findIndex(({ code }) => code === sector);
  const entered = minutes
    .flatMap(({ sectors }) => (sector === null ? sectors : sectors.slice(place, place + 1)))
    .reduce((sum, minute) => sum + entriesOf(minute), 0);
  if (entered === 0 || staleSinceMs(view) !== null)
    return `${MARK_WORDS.suspended} desde ${formatTime(sinceMs, timeZone)}`;
  return `${MARK_WORDS.suspended}, mas entraram: ${formatCount(entered)} em ${minutes.length} min`;
}

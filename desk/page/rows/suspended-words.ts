import { type Minute, MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
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
  const entered = minutes.reduce((sum, minute) => sum + entriesOf(minute, sector === null ? null : place), 0);
  if (entered === 0 || staleSinceMs(view) !== null)
    return `${MARK_WORDS.suspended} desde ${formatTime(sinceMs, timeZone)}`;
  return `${MARK_WORDS.suspended}, mas entraram: ${formatCount(entered)} em ${minutes.length} min`;
}

/** The entries of a minute without late batches, however many were taken back; `place`: null for all sectors. */
function entriesOf({ sectors }: Minute, place: number | null): number {
  const counted = place === null ? sectors : sectors.slice(place, place + 1);
  return counted.reduce(
    (sum, { entered, net, lots }) => sum + Math.max(0, lots === 0 ? (entered ?? net) : net - lots),
    0,
  );
}

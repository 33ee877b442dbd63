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
 * readings come all the same: "entrada suspensa, mas entraram: 12 em 5 min", which are whole minutes after the mark. Over a
 * time that nobody saw, at least as many entered as the count grew by: "mas entraram: no mínimo 12 desde 19:36".
 */
export function suspendedWords(view: DeskView, sector: string | null, sinceMs: number): string {
  const { nowMs, timeZone, rows } = view.state;
  const place = rows.findIndex(({ code }) => code === sector);
  const cellsOf = <T>(all: readonly T[]) => (sector === null ? all : all.slice(place, place + 1));
  const admittedIn = (all: readonly { readonly admitted: number }[]): number =>
    cellsOf(all).reduce((sum, { admitted }) => sum + admitted, 0);
  const lastMs = (view.minutes.at(-1)?.minuteMs ?? 0) + MINUTE_MS;
  // A minute is known some seconds after its end.
  const endMs = Math.max(lastMs, minuteOf(nowMs) - MINUTE_MS);
  const fromMs = Math.max(sinceMs, endMs - MAX_MINUTES * MINUTE_MS);
  const minutes = view.minutes.filter(({ minuteMs }) => minuteMs >= fromMs);
  let span = `em ${minutes.length} min`;
  let entered = minutes
    .flatMap(({ sectors }) => cellsOf(sectors))
    .reduce((sum, minute) => sum + entriesOf(minute), 0);
  const isWhole = endMs - fromMs < (minutes.length + 1) * MINUTE_MS;
  const before = view.minutes.at(-1 - minutes.length);
  if (!isWhole && before && before.minuteMs + MINUTE_MS >= sinceMs) {
    span = `desde ${formatTime(before.minuteMs + MINUTE_MS, timeZone)}`;
    entered = admittedIn(rows) - admittedIn(before.sectors);
  }
  if (entered <= 0 || staleSinceMs(view) !== null)
    return `${MARK_WORDS.suspended} desde ${formatTime(sinceMs, timeZone)}`;
  return `${MARK_WORDS.suspended}, mas entraram: ${isWhole ? '' : 'no mínimo '}${formatCount(entered)} ${span}`;
}

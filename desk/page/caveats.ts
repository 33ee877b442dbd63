import { MINUTE_MS, minuteOf } from '../model/series/minute.ts';
import { groupBySector, uncountedMarks, uncountedSpans } from '../model/log/uncounted.ts';
import { listNames, sectorName } from './actions/sector-name.ts';
import type { DeskView } from './desk-view.ts';
import { formatTime } from './event-time.ts';
import { estimatedWords, spanWords } from './span-words.ts';

/** Rates are means of at most this time. */
const RATE_MS = 5 * MINUTE_MS;
const MAX_NAMES = 3;

const UNREAD = 'sem o registro, não se sabe se todos foram lidos';

/**
 * Names the sectors with an incomplete count: "SUL DORIL desde 18:33 até 18:40 (~150 sem leitura), NORTE desde 18:40". Null where
 * all counts are complete; where the record was not read, nothing is known to be. `sector` selects its own marks and those of the
 * whole ground.
 */
export function describeIncomplete(view: DeskView, sector: string | null = null): string | null {
  const { marks, timeZone, record } = view.state;
  if (record.isUnread) return UNREAD;
  const groups = [...groupBySector(uncountedMarks(marks, sector))];
  if (groups.length === 0) return null;
  return groups
    .map(([of, own]) => {
      const spans = spanWords(uncountedSpans(own), (atMs) => formatTime(atMs, timeZone));
      const estimate = estimatedWords(own);
      return `${sectorName(view.sectors, of)} ${spans}${estimate === null ? '' : ` (${estimate})`}`;
    })
    .join(', ');
}

/** Names the first few sectors with an incomplete count, without their times; null where all counts are complete. */
export function nameIncomplete(view: DeskView): string | null {
  if (view.state.record.isUnread) return UNREAD;
  const groups = groupBySector(uncountedMarks(view.state.marks, null));
  const names = [...groups].map(([of]) => sectorName(view.sectors, of));
  return names.length === 0 ? null : `contagem incompleta: ${listNames(names, MAX_NAMES)}`;
}

/** Whether people passed unread in the minutes of the rates. */
export function isRateAtLeast({ state: { marks, nowMs } }: DeskView, sector: string | null = null): boolean {
  const fromMs = minuteOf(nowMs) - RATE_MS;
  return uncountedMarks(marks, sector).some(({ endedAtMs }) => (endedAtMs ?? Infinity) > fromMs);
}

/** Names the sectors whose entry is suspended: "SUL DORIL desde 18:33". */
export function describeSuspended(view: DeskView): string | null {
  const { marks, timeZone } = view.state;
  const suspended = [...groupBySector(marks.filter(({ mark }) => mark === 'suspended'))];
  if (suspended.length === 0) return null;
  return suspended
    .map(([of, own]) => {
      const sinceMs = Math.min(...own.map((mark) => mark.sinceMs));
      return `${sectorName(view.sectors, of)} desde ${formatTime(sinceMs, timeZone)}`;
    })
    .join(', ');
}

import type { ForecastRange, Outlook } from '../../model/forecast/forecast.ts';
import { roundedRange, roundBelow } from '../../model/forecast/rounded-range.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatNeeded } from '../figure-format.ts';
import { atBest, bestRate } from './at-best.ts';
import { noRangeWords } from './no-forecast-words.ts';

/** Compares who is in at the scheduled kick-off and at postponed ones. */
export interface RangeTable {
  readonly title: string;
  readonly columns: readonly RangeColumn[];
  /** How often such ranges held, or why there is none; null if that differs between columns. */
  readonly base: string | null;
}

export interface RangeColumn {
  /** "19:10" */
  readonly time: string;
  /** "+10 min"; for the scheduled kick-off "como marcado" or "como adiado". */
  readonly postponed: string;
  /** "33.100 – 36.400", or "no máximo 33.100", if any. */
  readonly range: string | null;
  /** "742", the needed people a minute; null where all who are expected are in. */
  readonly needed: string | null;
  /** "15.700": the admissions at the best rate of today, where no column has a range; null without a rate. */
  readonly best: string | null;
  readonly base: string;
}

/** `left`: "sem CAMAROTES", for a forecast without those sectors. */
export function rangeTable(view: DeskView, outlooks: readonly Outlook[], left: string | null): RangeTable {
  const columns = outlooks.map((outlook) => columnOf(view, outlook, outlooks));
  const bases = new Set(columns.map(({ base }) => base));
  const base = bases.size === 1 ? (columns[0]?.base ?? null) : null;
  const inside = `dentro no início${left === null ? '' : `, ${left}`}`;
  if (columns.some(({ range, best }) => range !== null || best === null))
    return { title: `${inside}, se for às …`, columns: columns.map(withoutBest), base };
  return { title: `${inside} ${bestRate(view)}, se for às …`, columns, base };
}

/** Beside a range the figure would be taken for one. */
function withoutBest(column: RangeColumn): RangeColumn {
  return { ...column, best: null };
}

function columnOf(view: DeskView, outlook: Outlook, all: readonly Outlook[]): RangeColumn {
  const scheduledMs = all[0]?.kickOffAtMs ?? 0;
  const { kickOffAtMs, perMinuteNeeded, range } = outlook;
  const postponedMin = Math.round((kickOffAtMs - scheduledMs) / MINUTE_MS);
  return {
    time: formatTime(kickOffAtMs, view.state.timeZone),
    postponed: postponedMin === 0 ? scheduleWords(view) : `+${postponedMin} min`,
    range: 'why' in range ? null : formatRange(range, outlook),
    needed: perMinuteNeeded > 0 ? formatNeeded(perMinuteNeeded) : null,
    best: bestWords(view, outlook),
    base: 'why' in range ? noRangeWords(view, range.why, scheduledMs, all) : describeBase(range),
  };
}

function scheduleWords({ state: { times } }: DeskView): string {
  const movedMs = (times.kickOffAtMs ?? 0) - (times.plannedKickOffAtMs ?? times.kickOffAtMs ?? 0);
  if (movedMs === 0) return 'como marcado';
  return movedMs > 0 ? 'como adiado' : 'como antecipado';
}

/** Whether the range ends where no more enter at the best rate that is known: nothing is forecast beyond it. */
export function endsAtBound({ high, bound }: ForecastRange): boolean {
  return bound !== null && high >= bound;
}

/** Formats a rounded range; if its bound leaves it no width, says so. */
function formatRange(range: ForecastRange, outlook: Outlook): string {
  const { low, high } = roundedRange(range, outlook);
  if (low !== high) return `${formatCount(low)} – ${formatCount(high)}`;
  return `${endsAtBound(range) ? 'no máximo ' : ''}${formatCount(low)}`;
}

function bestWords(view: DeskView, outlook: Outlook): string | null {
  const { admitted, valid } = outlook;
  const best = atBest(view, outlook).admittedAtBest;
  if (best === null) return null;
  const most = Math.max(admitted, valid);
  return formatCount(best < most ? Math.max(admitted, roundBelow(best, most)) : most);
}

function describeBase({ coverage, matches }: ForecastRange): string {
  const count = formatCount(matches);
  return coverage === null
    ? `como nos últimos ${count} jogos`
    : `em ${Math.round(10 * coverage)} de cada 10 jogos assim · ${count} jogos`;
}

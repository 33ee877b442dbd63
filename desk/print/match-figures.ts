import { readLogState } from '../model/log/log-state.ts';
import {
  ARRIVED_SHARES,
  type MatchSummary,
  MOMENTS_MIN,
  PEAK_MINUTES,
  readSpan,
  summarizeMatch,
} from '../model/log/match-summary.ts';
import type { SectorMark } from '../model/log/marks.ts';
import { admittedAtMoment, momentMs } from '../model/series/match-moment.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { stillToEnter } from '../model/series/still-to-enter.ts';
import { uncountedMarks, uncountedSpans } from '../model/log/uncounted.ts';
import { GROUND_NAME, sectorName } from '../page/actions/sector-name.ts';
import { estimatedWords, spanWords } from '../page/span-words.ts';
import { formatCount } from '../../page/design/number-format.ts';
import { isPartial } from './partial.ts';
import { formatTimeWithSeconds, formatWhen } from '../page/event-time.ts';
import { staleSinceMs } from '../page/stale-since.ts';
import type { RecordView } from './record-view.ts';

export const UNKNOWN = 'não conhecido';
const AHEAD = 'ainda não';
/** A minute that has just ended becomes known within this time. */
const AWAITED_MS = 2 * MINUTE_MS;
const NOBODY = 'nenhum';
const ALL_IN_LOTS = 'só em lote';

/** The texts of the ground's or a sector's figures. */
export interface MatchFigures {
  readonly key: string;
  readonly name: string;
  /** "contagem incompleta desde 18:33 até 18:40"; null for a complete count. */
  readonly caveat: string | null;
  readonly valid: string;
  /** The admissions at each of MOMENTS_MIN. */
  readonly atMoments: readonly string[];
  readonly admitted: string;
  /** Valid tickets without an entry. */
  readonly missing: string;
  /** The count and the beginning of the peak for each of PEAK_MINUTES. */
  readonly peaks: readonly string[];
  /** The time of each of ARRIVED_SHARES; empty until the final number is known. */
  readonly arrived: readonly string[];
}

/** The names of the figures that depend on the end of the match. */
export interface FigureNames {
  readonly admitted: string;
  readonly missing: string;
  readonly arrived: readonly string[];
  readonly notes: { readonly missing: string; readonly arrived: string };
}

/** "T−60", "início", "T+15". */
export const MOMENT_NAMES: readonly string[] = MOMENTS_MIN.map((min) =>
  min === 0 ? 'início' : `T${min < 0 ? '−' : '+'}${Math.abs(min)}`,
);
export const PEAK_NAMES: readonly string[] = PEAK_MINUTES.map((length) => `pico de ${length} min`);
const ARRIVED_NAMES: readonly string[] = ARRIVED_SHARES.map((share) => `${100 * share}% às`);

/** During the match nobody counts as absent, and no number is final. */
export function figureNames(view: RecordView): FigureNames {
  const atMost = '≥ (no mínimo) e ≤ (no máximo): onde a contagem está incompleta';
  if (!isPartial(view)) {
    const missing = `Não vieram: ingressos válidos sem acesso registrado quando este registro foi feito. ${atMost}.`;
    const arrived = '50% às: quando metade do número final estava dentro.';
    return {
      admitted: 'fim',
      missing: 'não vieram',
      arrived: ARRIVED_NAMES,
      notes: { missing, arrived },
    };
  }
  const toMs = readSpan(view.desk.minutes)?.toMs ?? view.desk.state.nowMs;
  const timeOf = readTimes(view);
  const countedMs =
    staleSinceMs({ state: view.proof.state, status: view.desk.status }) ?? view.proof.state.nowMs;
  const missing = `Ainda não entraram: ingressos válidos sem acesso registrado a essa hora. ${atMost}.`;
  return {
    admitted: `até ${timeOf(toMs)}`,
    missing: `ainda não entraram às ${formatTimeWithSeconds(countedMs, view.desk.state.timeZone)}`,
    arrived: [],
    notes: { missing, arrived: 'Até o último minuto registrado.' },
  };
}

/** The figures of the ground, then of the venue's rows in order, and last of the others if they ever had a ticket. */
export function readFigures(view: RecordView): readonly MatchFigures[] {
  const { minutes, sectors } = view.desk;
  const codes = [...sectors.map(({ code }) => code), ''];
  const rows = codes.map((code, rowIndex) => figuresOf(view, code, rowIndex));
  const hasOthers = minutes.some((minute) => minute.sectors[sectors.length]?.valid);
  return [figuresOf(view, null), ...(hasOthers ? rows : rows.slice(0, -1))];
}

function figuresOf(view: RecordView, code: string | null, rowIndex?: number): MatchFigures {
  const { minutes, state, log, sectors } = view.desk;
  const { kickOffAtMs } = state.times;
  const summary = summarizeMatch(minutes, { kickOffAtMs, sector: rowIndex });
  const timeOf = readTimes(view);
  const endMs = readSpan(minutes)?.toMs ?? 0;
  const { count, peak, arrived } = wordsFor(summary, timeOf, withoutEntering(minutes, rowIndex));
  const uncounted = uncountedMarks(readLogState(log).uncounted, code);
  const incompleteMs = Math.min(...uncounted.map(({ sinceMs }) => sinceMs));
  const atLeast = (admitted: number | null, atMs: number): string =>
    `${admitted !== null && atMs > incompleteMs ? '≥ ' : ''}${count(admitted)}`;
  const notCome = notComeOf(view, rowIndex);
  const atMost = uncounted.length === 0 || notCome === null ? '' : '≤ ';
  return {
    key: code ?? 'ground',
    name: code === null ? GROUND_NAME : sectorName(sectors, code),
    caveat: caveatOf(uncounted, timeOf),
    valid: count(summary.valid),
    atMoments: summary.atMoments.map((admitted, index) => {
      const min = MOMENTS_MIN[index] ?? 0;
      const atMs = kickOffAtMs === null ? 0 : momentMs(kickOffAtMs, min);
      const isAhead = atMs > endMs && atMs > state.nowMs - AWAITED_MS;
      return admitted === null && isAhead ? AHEAD : atLeast(admitted, atMs);
    }),
    admitted: atLeast(summary.admitted, endMs),
    missing: `${atMost}${count(notCome)}`,
    // More may have passed unread in a minute than were read in the peak.
    peaks: summary.peaks.map((one) => `${one && incompleteMs < endMs ? '≥ ' : ''}${peak(one)}`),
    // Of a final number that nobody knows there is no share.
    arrived: isPartial(view) ? [] : summary.arrivedAtMs.map(uncounted.length === 0 ? arrived : () => UNKNOWN),
  };
}

/**
 * Counts the valid tickets without an entry when the record was made: no minute has how many of the admitted are not valid.
 * Null where the server had counted nothing yet.
 */
function notComeOf({ proof: { state }, desk: { minutes } }: RecordView, rowIndex?: number): number | null {
  const isCounted = state.source.live || state.total.valid > 0;
  const totals = rowIndex === undefined ? state.total : state.rows[rowIndex];
  return isCounted && minutes.length > 0 && totals ? Math.max(0, stillToEnter(totals)) : null;
}

/** Whether people had passed uncounted by this kick-off, in other sectors than those of `without`. */
export function isIncompleteAt(
  { desk: { log } }: RecordView,
  kickOffAtMs: number,
  without: readonly string[] = [],
): boolean {
  return uncountedMarks(readLogState(log).uncounted, null).some(
    ({ sector, sinceMs }) =>
      sinceMs < momentMs(kickOffAtMs) && (sector === null || !without.includes(sector)),
  );
}

/** As the summary says it, for any kick-off, and `without` the sectors that a forecast leaves out. */
export function admittedAtKickOff(
  view: RecordView,
  kickOffAtMs: number,
  without: readonly string[] = [],
): string {
  const { minutes, state, sectors } = view.desk;
  const atMs = momentMs(kickOffAtMs);
  const counts = [...sectors.map(({ code }) => code), ''].flatMap((code, sector) =>
    without.includes(code) ? [] : [admittedAtMoment(minutes, kickOffAtMs, { sector })],
  );
  if (counts.includes(null)) return atMs > state.nowMs - AWAITED_MS ? AHEAD : UNKNOWN;
  const isAtLeast = isIncompleteAt(view, kickOffAtMs, without);
  const admitted = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return `${isAtLeast ? 'no mínimo ' : ''}${formatCount(admitted)}`;
}

/** Returns how many of the admitted are in no peak: they came in late batches, or were moved here while inside. */
function withoutEntering(minutes: readonly Minute[], rowIndex?: number): { lots: number; moved: number } {
  const rows = minutes.flatMap(({ sectors }) =>
    rowIndex === undefined ? sectors : sectors.slice(rowIndex, rowIndex + 1),
  );
  return {
    lots: rows.reduce((sum, row) => sum + row.lots, 0),
    moved: rows.reduce((sum, row) => sum + (row.moved ?? 0), 0),
  };
}

function wordsFor(
  { admitted }: MatchSummary,
  timeOf: (atMs: number) => string,
  { lots, moved }: ReturnType<typeof withoutEntering>,
) {
  const without = admitted === 0 ? NOBODY : UNKNOWN;
  const ofNobody = lots > 0 ? ALL_IN_LOTS : NOBODY;
  const withoutPeak = admitted === lots + moved ? ofNobody : without;
  return {
    count: (count: number | null): string => (count === null ? UNKNOWN : formatCount(count)),
    peak: (peak: MatchSummary['peaks'][number] | undefined): string =>
      peak ? `${formatCount(peak.count)} às ${timeOf(peak.fromMs)}` : withoutPeak,
    arrived: (atMs: number | null): string => (atMs === null ? without : timeOf(atMs)),
  };
}

/** A mark that has ended keeps its caveat, as the people who passed meanwhile stay uncounted. */
function caveatOf(uncounted: readonly SectorMark[], timeOf: (atMs: number) => string): string | null {
  if (uncounted.length === 0) return null;
  const estimate = estimatedWords(uncounted);
  return `contagem incompleta ${spanWords(uncountedSpans(uncounted), timeOf)}${estimate === null ? '' : ` (${estimate})`}`;
}

/** Formats times in the event's time zone, with the day if it is not the match's. */
export function readTimes({ desk: { state } }: RecordView): (atMs: number) => string {
  const { timeZone, times, lastMinuteMs, nowMs } = state;
  const dayMs = times.kickOffAtMs ?? lastMinuteMs ?? nowMs;
  return (atMs) => formatWhen(atMs, dayMs, timeZone);
}

import type { Forecast, Outlook } from '../../../domain/flow/forecast/forecast.ts';
import { MOST_LATENESS_MIN } from '../../../domain/flow/forecast/limits.ts';
import { admittedAtMoment, momentMs } from '../../../domain/flow/match-moment.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { uncountedMarks } from '../../../domain/flow/uncounted.ts';
import { formatCount } from '../../design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatExpected, formatNeeded, formatRate } from '../figure-format.ts';
import { noForecastWords, withdrawnWords } from './no-forecast-words.ts';
import { listNames, sectorName } from '../alarms/sector-name.ts';
import { boundWords } from './bound-words.ts';
import { entryCapacityWords } from './entry-capacity-words.ts';
import { type RangeTable, rangeTable } from './range-table.ts';
import { estimateWords } from '../span-words.ts';
import { staleSinceMs } from '../stale-since.ts';
import { isRateAtLeast } from '../taints.ts';
import { trackRecordWords } from './track-record-words.ts';

/** Whether it is well, in words: what is needed, what flows, and who will be in. */
export interface AnswerWords {
  readonly figures: readonly AnswerFigure[];
  readonly table: RangeTable | null;
  /** Sentences: what follows at the best of today; why something is missing. */
  readonly notes: readonly string[];
}

export interface AnswerFigure {
  readonly label: string;
  readonly value: string;
  /** What the value is of, behind it. */
  readonly unit: string;
}

const MOST_NAMES = 3;
/** A time beyond that is no time that somebody waits for. */
const LATEST_ALL_IN_MS = 3 * 60 * MINUTE_MS;

/** Only of what is live: nothing is carried on. */
export function answerWords(view: DeskView): AnswerWords {
  const { state } = view;
  const staleMs = staleSinceMs(view);
  if (staleMs !== null) {
    return { figures: [], table: null, notes: [`sem dados desde ${formatTime(staleMs, state.timeZone)}`] };
  }
  const outlooks = totalOutlooks(state.forecast);
  const [asSet] = outlooks ?? [];
  if (!outlooks || !asSet) {
    return { figures: [...atKickOff(view), nowFigure(view)], table: null, notes: [whyNone(view)] };
  }
  return {
    figures: [neededFigure(asSet), nowFigure(view), ...arrivalFigure(asSet)],
    table: rangeTable(view, outlooks),
    notes: [
      ...entryCapacityWords(view),
      ...('why' in asSet.range ? [] : stoppedWords(view)),
      ...estimatedWords(asSet),
      ...boundWords(asSet, state.forecast),
      ...atBestOfToday(asSet, state.timeZone),
      ...usualWords(asSet),
      ...trackRecordWords(state.trackRecord, (asSet.kickOffAtMs - state.nowMs) / MINUTE_MS),
    ],
  };
}

function totalOutlooks(forecast: Forecast): readonly Outlook[] | null {
  return forecast.kind === 'made' ? forecast.total : null;
}

function whyNone(view: DeskView): string {
  const { forecast } = view.state;
  return forecast.kind === 'none' ? noForecastWords(view, forecast.why) : withdrawnWords(view);
}

function neededFigure({ perMinuteNeeded, expected, valid }: Outlook): AnswerFigure {
  const label = 'ritmo necessário';
  const isForAll = expected.matches === 0;
  const target = isForAll ? formatCount(expected.count) : formatExpected(expected.count, valid);
  if (perMinuteNeeded <= 0) return { label, value: '0', unit: `/min: os ${target} esperados já entraram` };
  const base = isForAll ? ' (todos os ingressos)' : '';
  return { label, value: formatNeeded(perMinuteNeeded), unit: `/min para ${target} dentro${base}` };
}

function nowFigure(view: DeskView): AnswerFigure {
  const { total } = view.state;
  const atLeast = isRateAtLeast(view) ? ' no mínimo' : '';
  const last = total.lastMinute === 0 && total.lastFive !== 0 ? ' · último minuto 0' : '';
  const best = total.bestFive === null ? '' : ` · melhor hoje ${formatRate(total.bestFive)}`;
  const label = 'agora (média 5)';
  return total.lastFive === null
    ? { label, value: '—', unit: ` menos de 5 min conhecidos${best}` }
    : { label, value: formatRate(total.lastFive), unit: `/min${atLeast}${last}${best}` };
}

function arrivalFigure({ lateness }: Outlook): readonly AnswerFigure[] {
  if (lateness === null) return [];
  const label = 'chegada';
  if (lateness === 0) return [{ label, value: 'na hora', unit: ' de costume' }];
  const minutes = Math.abs(lateness);
  const orMore = minutes >= MOST_LATENESS_MIN ? ' ou mais' : '';
  const way = lateness > 0 ? 'tarde' : 'cedo';
  return [{ label, value: `${formatCount(minutes)} min${orMore}`, unit: ` mais ${way} que o costume` }];
}

/** Whoever comes late by a stop is in the forecast all the same: it knows of no gate that stays shut. */
function stoppedWords({ state, sectors }: DeskView): readonly string[] {
  const stopped = state.alarms.flatMap((alarm) => {
    if (alarm.returnedAtMs !== null) return [];
    if (alarm.rule === 'several-stopped') return alarm.figures.sectors.map(({ sector }) => sector);
    return alarm.rule === 'stopped' ? [alarm.sector] : [];
  });
  if (stopped.length === 0) return [];
  const names = stopped.map((sector) => sectorName(sectors, sector));
  return [`a previsão conta com a volta dos acessos: ${listNames(names, MOST_NAMES)}`];
}

/** What of it is no count. */
function estimatedWords({ estimated = 0 }: Outlook): readonly string[] {
  return estimated === 0 ? [] : [`a previsão conta com a estimativa: ${estimateWords(estimated)}`];
}

/** Who was in at kick-off, where that moment was watched. */
function atKickOff({ state, minutes }: DeskView): readonly AnswerFigure[] {
  const { kickOffAtMs } = state.times;
  if (kickOffAtMs === null || state.nowMs < kickOffAtMs) return [];
  const admitted = admittedAtMoment(minutes, kickOffAtMs);
  if (admitted === null) return [];
  const unit = ` às ${formatTime(kickOffAtMs, state.timeZone)}`;
  const isAtLeast = uncountedMarks(state.marks, null).some(({ sinceMs }) => sinceMs < momentMs(kickOffAtMs));
  const label = `dentro no início${isAtLeast ? ' · no mínimo' : ''}`;
  return [{ label, value: formatCount(admitted), unit }];
}

function atBestOfToday(outlook: Outlook, timeZone: string): readonly string[] {
  const { allInAtMs, kickOffAtMs, expected, admitted, valid } = outlook;
  if (allInAtMs === null || expected.count <= admitted) return [];
  const latestMs = kickOffAtMs + LATEST_ALL_IN_MS;
  const isInTime = allInAtMs <= latestMs;
  const when = isInTime ? 'às' : 'só depois das';
  return [
    `no melhor ritmo de hoje, todos os ${formatExpected(expected.count, valid)} esperados dentro ${when} ${formatTime(isInTime ? allInAtMs : latestMs, timeZone)}`,
  ];
}

function usualWords({ usual, valid }: Outlook): readonly string[] {
  return usual === null ? [] : [`costume a esta hora: ${formatExpected(usual, valid)} dentro`];
}

import type { Forecast, Outlook } from '../../model/forecast/forecast.ts';
import { MAX_ATTENDANCE } from '../../model/alarms/limits.ts';
import { admittedAtMoment, momentMs } from '../../model/series/match-moment.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { uncountedMarks } from '../../model/log/uncounted.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { listNames, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatExpected, formatRate } from '../figure-format.ts';
import { roundedRange, roundExpected } from '../../model/forecast/rounded-range.ts';
import { hasNoneNow } from '../rows/row-words.ts';
import { estimateWords, withoutWords } from '../span-words.ts';
import { staleSinceMs } from '../stale-since.ts';
import {
  type AnswerFigure,
  arrivalFigure,
  expectedWords,
  neededFigure,
  nowFigure,
} from './answer-figures.ts';
import { atBest, bestRate } from './at-best.ts';
import { entryCapacityWords } from './entry-capacity-words.ts';
import { comingWords, noForecastWords, withdrawnWords } from './no-forecast-words.ts';
import { mostPermitted } from './most-permitted.ts';
import { endsAtBound, type RangeTable, rangeTable } from './range-table.ts';
import type { TrackRecord } from '../../model/forecast/track-record.ts';

/** The needed rate, the current rate, and the forecast of who will be in. */
export interface AnswerWords {
  readonly figures: readonly AnswerFigure[];
  readonly table: RangeTable | null;
  /** First where the gates cannot let in enough people, then at most MAX_VERDICTS others, the most important first. */
  readonly verdicts: readonly Verdict[];
}

type MadeForecast = Extract<Forecast, { kind: 'made' }>;

const MAX_NAMES = 3;
const MAX_VERDICTS = 2;
/** A later time is of no use. */
const LATEST_ALL_IN_MS = 3 * 60 * MINUTE_MS;

/** Only live data has figures; stale data is not extrapolated. */
export function answerWords(view: DeskView): AnswerWords {
  const { forecast, timeZone } = view.state;
  const staleMs = staleSinceMs(view);
  if (staleMs !== null) return withoutForecast([], [`sem dados desde ${formatTime(staleMs, timeZone)}`]);
  const figures = [...atKickOff(view), nowFigure(view)];
  if (forecast.kind === 'none')
    return withoutForecast(figures, [comingWords(view, forecast) ?? noForecastWords(view, forecast.why)]);
  const [scheduled] = forecast.total ?? [];
  return scheduled
    ? forecastWords(view, forecast, scheduled)
    : withoutForecast(figures, [withdrawnWords(view)]);
}

function withoutForecast(figures: readonly AnswerFigure[], texts: readonly string[]): AnswerWords {
  return { figures, table: null, verdicts: texts.map(quiet) };
}

function forecastWords(view: DeskView, forecast: MadeForecast, scheduled: Outlook): AnswerWords {
  const { total, without } = forecast;
  const left = without ? withoutWords(without, (code) => sectorName(view.sectors, code)) : null;
  return {
    figures: [
      neededFigure(scheduled, left, mostPermitted(view.state, scheduled)),
      nowFigure(view, scheduled, left),
      ...arrivalFigure(scheduled),
    ],
    table: rangeTable(view, total ?? [], left),
    verdicts: [
      ...entryCapacityWords(view).map(quiet),
      ...verdictsOf(view, forecast, scheduled).slice(0, MAX_VERDICTS),
    ],
  };
}

/** Urgent verdicts come first, then the forecast's assumptions, which are never left out. */
function verdictsOf(view: DeskView, forecast: MadeForecast, scheduled: Outlook): readonly Verdict[] {
  const { nowMs, timeZone, trackRecord } = view.state;
  const reach = reachVerdict(scheduled);
  const last =
    'why' in scheduled.range
      ? allInWords(view, scheduled)
      : trackRecordWords(trackRecord, (scheduled.kickOffAtMs - nowMs) / MINUTE_MS);
  return [
    ...reach.filter(({ isCalled }) => isCalled),
    ...reckonedWords(view, scheduled).map(quiet),
    ...reach.filter(({ isCalled }) => !isCalled),
    ...[...boundWords(scheduled, forecast, timeZone), ...last].map(quiet),
  ];
}

function quiet(text: string): Verdict {
  return { text, isCalled: false };
}

/** The assumptions of the forecast: stopped sectors flow again, and estimates are right. */
function reckonedWords(view: DeskView, outlook: Outlook): readonly string[] {
  const { estimated = 0, range } = outlook;
  const reckons = !('why' in range) || allInWords(view, outlook).length > 0;
  const stopped = reckons ? stoppedNames(view) : [];
  const parts = [
    ...(stopped.length === 0
      ? []
      : [`a previsão conta com a volta dos acessos: ${listNames(stopped, MAX_NAMES)}`]),
    ...(estimated === 0 ? [] : [`a previsão conta com a estimativa: ${estimateWords(estimated)}`]),
  ];
  return parts.length === 0 ? [] : [parts.join('; ')];
}

/** After such a silence, each sector where people kept coming would have an alarm, if the rules had applied. */
const LONG_SILENT_MS = 15 * MINUTE_MS;

/** Returns the names of the sectors that the forecast counts although nobody enters there, with an alarm or without. */
function stoppedNames(view: DeskView): readonly string[] {
  const { forecast, rows, nowMs } = view.state;
  // As after the entry was reopened.
  const isLongSilent = ({ state, lastEntryAtMs, admitted, valid }: (typeof rows)[number]): boolean =>
    state === 'quiet' &&
    lastEntryAtMs !== null &&
    nowMs - lastEntryAtMs > LONG_SILENT_MS &&
    admitted < MAX_ATTENDANCE * valid;
  const without = (forecast.kind === 'made' && forecast.without) || [];
  return rows
    .filter((row) => (hasNoneNow(view, row) || isLongSilent(row)) && !without.includes(row.code))
    .map(({ code }) => sectorName(view.sectors, code));
}

/** The admissions at kick-off, if that moment was observed. */
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

function allInWords(view: DeskView, outlook: Outlook): readonly string[] {
  const { kickOffAtMs, expected, admitted, valid } = outlook;
  const { allInAtMs } = atBest(view, outlook);
  if (allInAtMs === null || expected.count <= admitted) return [];
  const latestMs = kickOffAtMs + LATEST_ALL_IN_MS;
  const isInTime = allInAtMs <= latestMs;
  const when = isInTime ? 'às' : 'só depois das';
  // By the minute that is named, all are in.
  const byMs = isInTime ? Math.ceil(allInAtMs / MINUTE_MS) * MINUTE_MS : latestMs;
  return [
    `${bestRate(view)}, todos os ${expectedWords(expected, valid)} esperados dentro ${when} ${formatTime(byMs, view.state.timeZone)}`,
  ];
}

/** States how often the ranges made at about this time held in earlier matches; empty without any. */
function trackRecordWords(records: readonly TrackRecord[], minutesLeft: number): readonly string[] {
  const distance = ({ minutesBefore }: TrackRecord): number => Math.abs(minutesBefore - minutesLeft);
  const [nearest] = records.toSorted((a, b) => distance(a) - distance(b));
  if (!nearest) return [];
  const { minutesBefore, ranges, held } = nearest;
  const at = `a T−${minutesBefore}`;
  if (ranges === 1) return [`a última faixa ${at} ${held === 1 ? 'acertou' : 'errou'}`];
  const verb = held === 1 ? 'acertou' : 'acertaram';
  const count = held === 0 ? 'nenhuma' : formatCount(held);
  return [`nas últimas ${formatCount(ranges)} faixas ${at}, ${count} ${held === 0 ? 'acertou' : verb}`];
}

const TENTHS = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * Explains the upper bound of the range for the scheduled kick-off: who is in, the minutes left, and the best rate. Empty where
 * the range ends below the bound.
 */
function boundWords(outlook: Outlook, forecast: Forecast, timeZone: string): readonly string[] {
  const { admitted, estimated = 0, valid, kickOffAtMs, perMinuteBest, range } = outlook;
  if (forecast.kind === 'none' || 'why' in range || range.bound === null || !endsAtBound(range)) return [];
  const { bound } = range;
  const leftMin = (kickOffAtMs - forecast.atMs) / MINUTE_MS;
  const best = (bound - admitted) / leftMin;
  const isOfToday = perMinuteBest !== null && Math.round(best) <= Math.round(perMinuteBest);
  const today = perMinuteBest === null ? '' : `; hoje ${formatRate(perMinuteBest)}`;
  const which = isOfToday ? 'melhor de hoje' : `melhor de jogos anteriores${today}`;
  const inside =
    estimated === 0
      ? `${formatCount(admitted)} dentro`
      : `${formatCount(admitted - estimated)} lidos + ${estimateWords(estimated)}`;
  const most = `no máximo ${formatExpected(bound, valid)} às ${formatTime(kickOffAtMs, timeZone)}`;
  return [`${most}: ${inside} + ${TENTHS.format(leftMin)} min × ${formatRate(best)}/min (${which})`];
}

/** A sentence below the figures. `isCalled`: an urgent one, which comes first. */
interface Verdict {
  readonly text: string;
  readonly isCalled: boolean;
}

/**
 * States how many of those expected will not be in at kick-off, if even the range's upper end is too low. That is usual for most
 * crowds, so it is urgent only if the upper end is below the usual count.
 */
function reachVerdict(outlook: Outlook): readonly Verdict[] {
  const { expected, range, usualAtKickOff, valid } = outlook;
  if ('why' in range || expected.matches === 0 || usualAtKickOff === undefined) return [];
  // As printed, so that it adds up; a lack that reads as the usual one is none.
  const { low, high } = roundedRange(range, outlook);
  const missing = (inside: number): number => Math.max(0, roundExpected(expected.count, valid) - inside);
  const usualMissing = missing(roundExpected(usualAtKickOff, valid));
  if (missing(high) === 0) return [];
  const [least, most, usual] = [missing(high), missing(low), usualMissing].map(formatCount);
  const isCalled = missing(high) > usualMissing;
  // No forecast, but a ceiling: the best rate that is known was exceeded before.
  const isCut = endsAtBound(range);
  const count = least === most ? `${isCut ? 'pelo menos ' : ''}${least}` : `de ${least} a ${most}`;
  const sentence = `no início, ${isCut ? 'mesmo no melhor ritmo conhecido, ' : ''}${count} dos esperados ainda não terão entrado (costume: ${usual})`;
  return [{ text: isCalled ? `ritmo necessário fora do alcance: ${sentence}` : sentence, isCalled }];
}

import {
  alarmWords,
  CALLS_AGAIN,
  returnWords,
  SILENTLY,
  RULE_WORDS,
} from '../../model/alarms/alarm-words.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { heldWords } from '../../model/forecast/held-words.ts';
import { MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
import { formatAge, formatCount } from '../../../page/design/number-format.ts';
import { endsWords, formatNeeded } from '../figure-format.ts';
import { estimateWords, withoutWords } from '../span-words.ts';
import { MARK_WORDS } from '../alarms/rule-words.ts';
import { takeBackWords } from '../actions/take-back-words.ts';

export interface LogContext {
  /** `sector`: a row's code, '' for the others, null for the whole ground. */
  readonly nameOf: (sector: string | null) => string;
  readonly timeOf: (atMs: number) => string;
  /** Includes the day if it is not that of `dayMs`. */
  readonly whenOf: (atMs: number, dayMs: number) => string;
  readonly find: (id: string) => LogRow | undefined;
  /** The capacities before this row of capacities; undefined for the first one. */
  readonly permittedBefore: (row: LogRow) => Permitted | undefined;
}

export type Permitted = Extract<LogRow, { kind: 'capacities' }>['data']['permitted'];

/** A change of capacity names at most this many sectors. */
const MAX_CHANGES = 3;

/** Describes an entry, without its time and its operator. */
export function logWords(row: LogRow, context: LogContext): string {
  const { nameOf, timeOf, find } = context;
  const of = (words: string) => (row.sector === null ? words : `${words} · ${nameOf(row.sector)}`);
  switch (row.kind) {
    case 'started':
      return `servidor iniciado · versão ${row.data.version}`;
    case 'returned':
      return `volta ao banco de dados anterior, decidida às ${timeOf(row.data.atMs)}`;
    case 'gap': {
      const { fromMs, toMs } = row.data;
      return `${formatAge(toMs - fromMs)} sem dados (${timeOf(fromMs)} a ${timeOf(toMs)})`;
    }
    case 'lot': {
      const { count } = row.data;
      return of(`lote de ${formatCount(Math.abs(count))} leituras${count < 0 ? ' desfeitas' : ''}`);
    }
    case 'clock': {
      const { byMs } = row.data;
      return `relógio do banco ${byMs < 0 ? 'atrasado' : 'adiantado'} em ${formatAge(Math.abs(byMs))}`;
    }
    case 'times':
      return timesWords(row, context);
    case 'capacities':
      return capacitiesWords(row.data.permitted, context.permittedBefore(row), nameOf);
    case 'mark':
      return markWords(row, context) + firstEstimateWords(row) + acknowledgedWords(row, context);
    case 'estimate': {
      const { mark, count, how } = row.data;
      const marked = find(mark);
      const where = marked ? ` · ${nameOf(marked.sector)}` : '';
      return `estimativa: ${estimateWords(count)}${where}: “${how}”`;
    }
    case 'interrupted': {
      const { what, fromMs, toMs } = row.data;
      const broken = what === 'tickets' ? 'contagem interrompida' : 'registro interrompido';
      const lastedMs = toMs - fromMs < MINUTE_MS ? toMs - fromMs : minuteOf(toMs) - minuteOf(fromMs);
      return `${broken} por ${formatAge(lastedMs)} (${endsWords(timeOf(fromMs), timeOf(toMs))}): a ligação foi refeita`;
    }
    case 'kick-off':
      return `início às ${timeOf(row.data.kickOffAtMs)}`;
    case 'entry-closed':
      return 'entrada encerrada';
    case 'evacuation':
      return 'EVACUAÇÃO';
    case 'occurrence':
      return of(`“${row.data.text}”`);
    case 'take-back': {
      const { id, why } = row.data;
      const entry = find(id);
      const what = why ? takeBackWords('mark', why).verb : takeBackWords(entry?.kind).done;
      if (!entry) return what;
      return `${what}: ${subjectWords(entry, context)} (${timeOf(entry.atMs)})`;
    }
    case 'import':
      return `importação de ${formatCount(row.data.minutes)} minutos`;
    case 'forecast':
      return forecastWords(row.data, context);
    case 'outcome':
      return outcomeWords(row.data, context);
    case 'notified':
      return notifiedWords(row.data, context);
    case 'suspend': {
      const { rule, minutes, reason } = row.data;
      return `alarme suspenso por ${minutes} min: ${RULE_WORDS[rule]} · ${nameOf(row.sector)}: “${reason}”`;
    }
    default:
      return alarmLogWords(row, context);
  }
}

/** Describes an entry that another one is about: a mark without its first estimate, which others may have replaced. */
export function subjectWords(entry: LogRow, context: LogContext): string {
  return entry.kind === 'mark' ? markWords(entry, context) : logWords(entry, context);
}

function markWords(
  { sector, atMs, data: { mark, sinceMs = atMs } }: Extract<LogRow, { kind: 'mark' }>,
  { nameOf, timeOf }: LogContext,
): string {
  const since = timeOf(sinceMs) === timeOf(atMs) ? '' : `, desde ${timeOf(sinceMs)}`;
  return `${MARK_WORDS[mark]} · ${nameOf(sector)}${since}`;
}

function firstEstimateWords({ data: { estimate } }: Extract<LogRow, { kind: 'mark' }>): string {
  return estimate ? `; ${estimateWords(estimate.count)}: “${estimate.how}”` : '';
}

/** The alarm that this mark acknowledges. */
function acknowledgedWords({ data }: Extract<LogRow, { kind: 'mark' }>, { find }: LogContext): string {
  const alarm = data.alarm === undefined ? undefined : find(data.alarm);
  return alarm?.kind === 'alarm' ? `; ciente: ${RULE_WORDS[alarm.data.rule]}` : '';
}

type AlarmLogRow = Extract<
  LogRow,
  { kind: 'alarm' | 'alarm-again' | 'alarm-returned' | 'alarm-joined' | 'acknowledge' }
>;

function alarmLogWords(row: AlarmLogRow, context: LogContext): string {
  const { nameOf, timeOf, find } = context;
  if (row.kind === 'alarm') {
    const codes = row.data.rule === 'several-stopped' ? row.data.figures.sectors.map(sectorOf) : [row.sector];
    const silently = row.data.isSilent ? `, ${SILENTLY}` : '';
    return `alarme${silently}: ${alarmWords(row.data, row.sector === null && codes[0] === null ? [] : codes.map(nameOf), timeOf)}`;
  }
  const alarm = find(row.data.alarm);
  const title =
    alarm?.kind === 'alarm' ? `${RULE_WORDS[alarm.data.rule]} · ${nameOf(alarm.sector)}` : 'alarme';
  switch (row.kind) {
    case 'alarm-again':
      if (row.data.isSilent) return `${title}: de novo, ${SILENTLY}`;
      return `${title}: ${CALLS_AGAIN}${row.data.why === 'unresolved' ? ': nada mudou depois do ciente' : ''}`;
    case 'alarm-returned':
      return `${title}: ${returnWords(row.data.why, alarm?.kind === 'alarm' ? alarm.data.rule : undefined)}`;
    case 'alarm-joined':
      return `${title}: também ${row.data.sectors.map(sectorOf).map(nameOf).join(', ')}`;
    default:
      return `ciente: ${title}${row.data.note === null ? '' : `: “${row.data.note}”`}`;
  }
}

function sectorOf({ sector }: { readonly sector: string }): string {
  return sector;
}

function timesWords(
  { atMs: enteredAtMs, data }: Extract<LogRow, { kind: 'times' }>,
  { whenOf }: LogContext,
): string {
  const at = (atMs: number | null): string => (atMs === null ? 'sem horário' : whenOf(atMs, enteredAtMs));
  return `horários do evento: portões ${at(data.gatesOpenAtMs)}, início ${at(data.kickOffAtMs)}`;
}

function capacitiesWords(
  permitted: Permitted,
  before: Permitted | undefined,
  nameOf: LogContext['nameOf'],
): string {
  const [first, ...others] = Object.keys(permitted);
  if (first === undefined) return 'sem lotação permitida informada';
  const total = formatCount(Object.values(permitted).reduce((sum, count) => sum + count, 0));
  const where = others.length === 0 ? nameOf(first) : `${1 + others.length} setores`;
  const all = `lotação permitida: ${total} em ${where}`;
  if (!before) return all;
  const limit = (count: number | undefined): string =>
    count === undefined ? 'sem limite' : formatCount(count);
  const changed = Object.keys({ ...before, ...permitted })
    .filter((code) => permitted[code] !== before[code])
    .map((code) => `${nameOf(code)} ${limit(permitted[code])} (antes ${limit(before[code])})`);
  if (changed.length > MAX_CHANGES) return all;
  const isSaid = others.length === 0 && permitted[first] !== before[first];
  return isSaid ? `lotação permitida: ${changed.join('; ')}` : [all, ...changed].join('; ');
}

function forecastWords(
  data: Extract<LogRow, { kind: 'forecast' }>['data'],
  { timeOf, nameOf }: LogContext,
): string {
  const { range, perMinuteNeeded, estimated, without } = data;
  const of = without ? `, ${withoutWords(without, nameOf)}` : '';
  const made = `${forecastName(data, timeOf)}${of}`;
  const needed = `ritmo necessário ${formatNeeded(perMinuteNeeded)}/min`;
  if (!range) return `${made}: sem faixa; ${needed}`;
  const within = estimated === undefined ? '' : `, com ${estimateWords(estimated)}`;
  const ends = [range.low, range.high].map((count) => formatCount(Math.round(count))) as [string, string];
  return `${made}: ${endsWords(...ends)} dentro${within}; ${needed}`;
}

function outcomeWords(
  data: Extract<LogRow, { kind: 'outcome' }>['data'],
  { timeOf, nameOf, find }: LogContext,
): string {
  const { forecast, admitted } = data;
  const row = find(forecast);
  const made = row?.kind === 'forecast' ? row.data : undefined;
  const which = made ? forecastName(made, timeOf) : 'previsão';
  const of = made?.without ? `, ${withoutWords(made.without, nameOf)}` : '';
  // Also of a forecast of the rest, the count is that of the ground.
  const where = made?.without ? ' no estádio todo' : '';
  const inside = admitted === null ? '' : `${formatCount(admitted)} dentro${where}; `;
  return `resultado da ${which}${of}: ${inside}${heldWords(data)}`;
}

/** "previsão 30 min antes das 19:00" */
function forecastName(
  { minutesBefore, kickOffAtMs }: Extract<LogRow, { kind: 'forecast' }>['data'],
  timeOf: LogContext['timeOf'],
): string {
  return `previsão ${minutesBefore} min antes das ${timeOf(kickOffAtMs)}`;
}

function notifiedWords(
  { id, status }: Extract<LogRow, { kind: 'notified' }>['data'],
  context: LogContext,
): string {
  const entry = context.find(id);
  const what = entry ? `: ${logWords(entry, context)}` : '';
  const isTaken = status >= 200 && status <= 299;
  return `${isTaken ? 'aviso enviado' : `aviso recusado pelo destino (${status})`}${what}`;
}

import type { AlarmNotice, AlarmRule } from '../alarms/alarm.ts';
import { alarmWords, CALLS_AGAIN, returnWords, RULE_WORDS, SILENTLY } from '../alarms/alarm-words.ts';
import { heldWords } from '../forecast/held-words.ts';
import type { LogKind, LogRow, Mark, TakeBackReason } from './flow-log.ts';

/** The names of the kinds of entries in a spreadsheet. */
export const KIND_WORDS: Readonly<Record<LogKind, string>> = {
  started: 'servidor iniciado',
  returned: 'volta ao banco de dados anterior',
  gap: 'minutos sem dados',
  lot: 'lote de leituras',
  interrupted: 'contagem ou registro interrompido',
  clock: 'relógio do banco acertado',
  times: 'horários do evento',
  capacities: 'lotação permitida',
  mark: 'marca',
  estimate: 'estimativa',
  'kick-off': 'horário do início',
  'entry-closed': 'entrada encerrada',
  evacuation: 'evacuação',
  occurrence: 'ocorrência',
  'take-back': 'desfeito',
  import: 'importação',
  alarm: 'alarme',
  'alarm-returned': 'alarme terminado',
  'alarm-again': 'alarme de novo',
  'alarm-joined': 'alarme em mais setores',
  acknowledge: 'ciente',
  suspend: 'alarme suspenso',
  forecast: 'previsão',
  outcome: 'resultado da previsão',
  notified: 'aviso enviado',
};

const MARKS: Readonly<Record<Mark, string>> = {
  unscanned: 'entrada liberada sem leitura',
  suspended: 'entrada suspensa',
  elsewhere: 'leitura em outro sistema',
};

const ENDS: Readonly<Record<TakeBackReason, string>> = { ended: 'acabou', mistake: 'foi engano' };

export interface DetailContext {
  readonly timeOf: (atMs: number) => string;
  /** Formats the minute of an instant whose second is not known. */
  readonly minuteOf: (atMs: number) => string;
  readonly nameOf: (code: string) => string;
  /** Returns the line of the entry with this id, and the rule of an alarm; undefined if the log has none. */
  readonly find: (id: string) => { readonly seq: number; readonly rule: AlarmRule | null } | undefined;
}

/** Returns the contents of an entry beside its kind, sector and author, for one cell. */
export function entryDetails(row: LogRow, { timeOf, minuteOf, nameOf, find }: DetailContext): string {
  const lineOf = (id: string, ...more: readonly string[]): string => {
    const { seq = '?', rule = null } = find(id) ?? {};
    return [`linha ${seq}`, ...(rule === null ? [] : [RULE_WORDS[rule]]), ...more].join(': ');
  };
  const span = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): string =>
    `${timeOf(fromMs)} a ${timeOf(toMs)}`;
  const estimate = ({ count, how }: { readonly count: number; readonly how: string }): string =>
    `~${count} sem leitura (${how})`;
  const notice = (alarm: AlarmNotice, sector: string | null): string => {
    const codes =
      alarm.rule === 'several-stopped' ? alarm.figures.sectors.map((stopped) => stopped.sector) : [sector];
    return alarmWords(alarm, codes.filter((code) => code !== null).map(nameOf), minuteOf);
  };
  switch (row.kind) {
    case 'started':
      return row.data.version;
    case 'returned':
      return timeOf(row.data.atMs);
    case 'gap':
      return span(row.data);
    case 'interrupted':
      return `${row.data.what === 'tickets' ? 'contagem' : 'registro'}: ${span(row.data)}`;
    case 'lot':
      return `${row.data.count} leituras`;
    case 'clock':
      return `${Math.round(row.data.byMs / 1_000)} s`;
    case 'times': {
      const { gatesOpenAtMs: gates, kickOffAtMs: kickOff } = row.data;
      const at = (atMs: number | null): string => (atMs === null ? 'sem horário' : timeOf(atMs));
      return `portões: ${at(gates)}; início: ${at(kickOff)}`;
    }
    case 'capacities':
      return Object.entries(row.data.permitted)
        .map(([code, count]) => `${nameOf(code)}: ${count}`)
        .join('; ');
    case 'mark': {
      const since = row.data.sinceMs === undefined ? [] : [`desde ${timeOf(row.data.sinceMs)}`];
      const estimated = row.data.estimate ? [estimate(row.data.estimate)] : [];
      const acknowledged = row.data.alarm === undefined ? [] : [`ciente: ${lineOf(row.data.alarm)}`];
      return [MARKS[row.data.mark], ...since, ...estimated, ...acknowledged].join('; ');
    }
    case 'estimate':
      return lineOf(row.data.mark, estimate(row.data));
    case 'kick-off':
      return timeOf(row.data.kickOffAtMs);
    case 'entry-closed':
    case 'evacuation':
      return '';
    case 'occurrence':
      return row.data.text;
    case 'take-back':
      return lineOf(row.data.id, ...(row.data.why ? [ENDS[row.data.why]] : []));
    case 'import':
      return `${row.data.minutes} minutos`;
    case 'alarm':
      return [notice(row.data, row.sector), ...(row.data.isSilent ? [SILENTLY] : [])].join('; ');
    case 'alarm-returned':
      return lineOf(row.data.alarm, returnWords(row.data.why, find(row.data.alarm)?.rule));
    case 'alarm-again':
      if (row.data.isSilent) return lineOf(row.data.alarm, `de novo, ${SILENTLY}`);
      return lineOf(
        row.data.alarm,
        row.data.why === 'unresolved' ? 'nada mudou depois do ciente' : CALLS_AGAIN,
      );
    case 'alarm-joined':
      return lineOf(row.data.alarm, row.data.sectors.map(({ sector }) => nameOf(sector)).join(', '));
    case 'acknowledge':
      return lineOf(row.data.alarm, ...(row.data.note === null ? [] : [row.data.note]));
    case 'suspend':
      return `${RULE_WORDS[row.data.rule]}, ${row.data.minutes} min: ${row.data.reason}`;
    case 'forecast': {
      const { minutesBefore, range, kickOffAtMs, estimated, without = [] } = row.data;
      const within = range
        ? `${Math.round(range.low)} a ${Math.round(range.high)} dentro, como em ${range.matches} jogos`
        : 'sem faixa';
      const said = estimated === undefined ? [] : [`com ~${Math.round(estimated)} sem leitura`];
      const left = without.length === 0 ? [] : [`sem ${without.map(nameOf).join(', ')}`];
      return `${minutesBefore} min antes de ${timeOf(kickOffAtMs)}: ${[within, ...said, ...left].join('; ')}`;
    }
    case 'outcome': {
      const { forecast, admitted } = row.data;
      const inside = admitted === null ? [] : [`${admitted} dentro no estádio`];
      return lineOf(forecast, ...inside, heldWords(row.data));
    }
    case 'notified':
      return lineOf(row.data.id, String(row.data.status));
  }
  throw new Error('unreachable: all kinds are covered');
}

import { BYTE_ORDER_MARK, sheetLine } from './csv-line.ts';
import { createOffsetReader } from '../../../domain/time-zone.ts';
import type { AlarmRule } from '../alarms/alarm.ts';
import { entryDetails, KIND_WORDS } from './entry-details.ts';
import type { Figure, LogRow, Source } from './flow-log.ts';
import { whyTakenBack } from './marks.ts';
import { wholeNeeded } from '../forecast/whole-needed.ts';
import type { Minute } from '../series/minute.ts';

/** The record for spreadsheets in Brazil; record-csv.ts has it for programs. */
export const MINUTES_SHEET_HEADER =
  BYTE_ORDER_MARK +
  sheetLine([
    'Minuto',
    'Código',
    'Setor',
    'Acessos até o fim do minuto',
    'Acessos no minuto',
    'Entraram',
    'Desfeitos',
    'Mudaram de setor',
    'Em lote',
    'Ingressos válidos',
    'Origem',
    'Evento',
  ]);

export const LOG_SHEET_HEADER =
  BYTE_ORDER_MARK +
  sheetLine([
    'Linha',
    'Data e hora',
    'O quê',
    'Detalhe',
    'Quem',
    'Código',
    'Setor',
    'Acessos no estádio',
    'Ingressos válidos no estádio',
    'Por minuto no estádio',
    'Acessos no setor',
    'Ingressos válidos no setor',
    'Por minuto no setor',
    'Origem',
    'Evento',
    'Id',
    'Esperados',
    'Ritmo necessário',
    'Faixas que acertam (%)',
  ]);

const SOURCES: Readonly<Record<Source, string>> = {
  live: 'ao vivo',
  import: 'importado',
  simulated: 'SIMULADO',
};

export interface SheetContext {
  readonly eventId: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** Returns the name of a row by its code, if it has one. */
  readonly nameOf: (code: string) => string | undefined;
}

interface SheetWords {
  /** "26/11/2026 18:29:05". */
  readonly timeOf: (atMs: number) => string;
  /** "26/11/2026 18:29". */
  readonly minuteOf: (atMs: number) => string;
  readonly nameOf: (code: string) => string;
}

function wordsOf({ timeZone, nameOf }: SheetContext): SheetWords {
  const offsetAt = createOffsetReader(timeZone);
  const timeOf = (atMs: number): string => {
    const [date = '', time = ''] = new Date(atMs + offsetAt(atMs)).toISOString().split('T');
    return `${date.split('-').toReversed().join('/')} ${time.slice(0, 8)}`;
  };
  return {
    timeOf,
    minuteOf: (atMs) => timeOf(atMs).slice(0, '26/11/2026 18:29'.length),
    nameOf: (code) => (code === '' ? 'fora destes setores' : (nameOf(code) ?? code)),
  };
}

/** Returns the lines of observed minutes; `codes` are those of their sectors, '' for the others. */
export function* minuteSheetLines(
  minutes: Iterable<Minute>,
  {
    source,
    codes,
    ...context
  }: SheetContext & { readonly source: Source; readonly codes: readonly string[] },
): Generator<string> {
  const { minuteOf, nameOf } = wordsOf(context);
  for (const { minuteMs, sectors } of minutes) {
    const minute = minuteOf(minuteMs);
    for (const [place, row] of sectors.entries()) {
      const code = codes[place] ?? '';
      const { admitted, net, entered, reverted, moved, lots, valid } = row;
      const counts = [admitted, net, entered, reverted, moved, lots, valid];
      yield sheetLine([minute, code, nameOf(code), ...counts, SOURCES[source], context.eventId]);
    }
  }
}

/** What later rows need of one: where it stands, of which sector it is, and the rule of an alarm. */
export interface EarlierRow extends Pick<LogRow, 'seq' | 'kind' | 'atMs' | 'sector'> {
  readonly rule: AlarmRule | null;
}

/** Returns the lines of a log. `earlier` has the rows before these by id; these rows are added to it. */
export function* logSheetLines(
  log: Iterable<LogRow>,
  context: SheetContext,
  earlier: Map<string, EarlierRow>,
): Generator<string> {
  const words = wordsOf(context);
  const { timeOf, nameOf } = words;
  for (const row of log) {
    const { seq, id, atMs, kind, by, source, figures } = row;
    const subject = earlier.get(subjectOf(row) ?? '');
    const sector = row.sector ?? subject?.sector ?? null;
    earlier.set(id, { seq, kind, atMs, sector, rule: row.kind === 'alarm' ? row.data.rule : null });
    const details = entryDetails(row, { ...words, find: (of) => earlier.get(of) });
    const isEnd = row.kind === 'take-back' && subject && whyTakenBack(subject, row) === 'ended';
    const where = sector === null ? [null, null] : [sector, nameOf(sector)];
    yield sheetLine([
      seq,
      timeOf(atMs),
      isEnd ? 'fim' : KIND_WORDS[kind],
      details,
      by,
      ...where,
      ...figureCells(figures.total),
      ...figureCells(figures.sector),
      SOURCES[source],
      context.eventId,
      id,
      ...forecastCells(row),
    ]);
  }
}

/** Returns the id of the entry that this one is about, and whose sector is its own. */
function subjectOf({ kind, data }: LogRow): string | undefined {
  if (kind === 'take-back' || kind === 'notified') return data.id;
  if (kind === 'estimate') return data.mark;
  return kind === 'acknowledge' ? data.alarm : undefined;
}

/** Of a forecast, as the print has them. */
function forecastCells(row: LogRow): readonly (number | null)[] {
  if (row.kind !== 'forecast') return [null, null, null];
  const { expected, perMinuteNeeded, range } = row.data;
  const coverage = range?.coverage ?? null;
  return [
    Math.round(expected),
    wholeNeeded(perMinuteNeeded),
    coverage === null ? null : Math.round(100 * coverage),
  ];
}

function figureCells(figure: Figure | null): readonly (number | null)[] {
  if (figure === null) return [null, null, null];
  const { admitted, valid, perMinute } = figure;
  return [admitted, valid, perMinute === null ? null : Math.round(10 * perMinute) / 10];
}

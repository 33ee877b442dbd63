import { heldWords } from '../model/forecast/held-words.ts';
import type { AlarmHistory } from '../model/alarms/alarm-history.ts';
import { alarmWords, CALLS_AGAIN, returnWords, SILENTLY, RULE_WORDS } from '../model/alarms/alarm-words.ts';
import type { LogKind, LogRow, TakeBackReason } from '../model/log/flow-log.ts';
import type { JudgedForecast, RecordReport, Statement } from '../model/log/record-report.ts';
import { logContextOf } from '../page/log/log-context.ts';
import { logWords } from '../page/log/log-words.ts';
import { listNames } from '../page/actions/sector-name.ts';
import { takeBackWords } from '../page/actions/take-back-words.ts';
import { endsWords, formatNeeded } from '../page/figure-format.ts';
import { estimateWords, withoutWords } from '../page/span-words.ts';
import { formatCount } from '../../page/design/number-format.ts';
import { admittedAtKickOff, isIncompleteAt, readTimes } from './match-figures.ts';
import { RecordTable, type RecordRow } from './record-table.tsx';
import type { RecordView } from './record-view.ts';

interface EventPagesProps {
  readonly view: RecordView;
  readonly report: RecordReport;
}

/** Lists alarms, entries of operators, interruptions and forecasts. */
export function EventPages({ view, report }: EventPagesProps) {
  const { sectors, log } = view.desk;
  const timeOf = readTimes(view);
  const context = logContextOf(log, sectors, view.desk.state.timeZone, timeOf);
  const { nameOf } = context;
  const words = (row: LogRow): string => logWords(row, context);
  const plain = (row: LogRow): RecordRow => ({
    key: row.id,
    cells: [timeOf(row.atMs), words(row), row.by ?? 'servidor'],
  });
  const stated = ({ row, takenBack }: Statement): RecordRow => ({
    key: row.id,
    isVoid: takenBack?.why === 'mistake',
    cells: [
      timeOf(row.atMs),
      <>
        <span className="record-words">{words(row)}</span>
        {(takenBack?.isWithMark ? [] : [takenBack?.ended, takenBack]).map(
          (end) =>
            end && (
              <small key={end.why}>
                {`${endWords(row.kind, end.why)} às ${timeOf(end.atMs)} por ${end.by ?? 'servidor'}`}
              </small>
            ),
        )}
      </>,
      row.by ?? 'servidor',
    ],
  });
  const columns = ['hora', 'o quê', 'nome declarado'];
  const lists = [
    ['Marcas', report.marks.map(stated)],
    ['Decisões', report.decisions.map(stated)],
    ['Ocorrências', report.occurrences.map(stated)],
    ['Lotes', report.lots.map(plain)],
    ['Lotação permitida', report.capacities.map(plain)],
    ['Interrupções', report.interruptions.map(plain)],
  ] as const;
  return (
    <div className="record-events">
      <RecordTable
        title="Alarmes"
        className="is-alarms"
        columns={['hora', 'alarme', 'ciente', 'fim']}
        rows={report.alarms.map((alarm) => alarmRow(alarm, { timeOf, nameOf }))}
      />
      {lists.map(([title, rows]) => (
        <RecordTable key={title} title={title} className="is-log" columns={columns} rows={rows} />
      ))}
      <RecordTable
        title="Previsões e resultado"
        columns={[
          'feita',
          'para o início',
          'esperados',
          'ritmo necessário',
          'faixa',
          'dentro no início',
          'resultado',
        ]}
        rows={report.forecasts.map((forecast) => forecastRow(view, forecast, { timeOf, nameOf }))}
      />
    </div>
  );
}

function endWords(kind: LogKind, why: TakeBackReason): string {
  const { verb, done } = takeBackWords(kind, kind === 'mark' ? why : undefined);
  return (kind === 'mark' ? verb : done).toUpperCase();
}

interface WordContext {
  readonly timeOf: (atMs: number) => string;
  readonly nameOf: (code: string | null) => string;
}

function alarmRow(alarm: AlarmHistory, { timeOf, nameOf }: WordContext): RecordRow {
  const { id, notice, sector, sinceMs, acknowledged, againAtMs, silentAtMs, joined, returned, isActive } =
    alarm;
  const codes = notice.rule === 'several-stopped' ? notice.figures.sectors.map(codeOf) : [sector];
  const names = codes.filter((code) => code !== null).map(nameOf);
  const timesOf = (what: string, timesMs: readonly number[]) =>
    timesMs.length > 0 && <small>{`${what} às ${listNames(timesMs.map(timeOf))}`}</small>;
  return {
    key: id,
    cells: [
      timeOf(sinceMs),
      <>
        <strong>{RULE_WORDS[notice.rule]}</strong>
        <span>{alarmWords(notice, names, timeOf)}</span>
        {joined.length > 0 && <small>também {listNames(joined.map(codeOf).map(nameOf))}</small>}
        {timesOf(SILENTLY, silentAtMs)}
        {timesOf(CALLS_AGAIN, againAtMs)}
      </>,
      acknowledged
        .map(
          ({ atMs, by, note }) => `${timeOf(atMs)} ${by ?? 'servidor'}${note === null ? '' : `: “${note}”`}`,
        )
        .join('\n') || 'ninguém',
      [
        ...returned.map(({ atMs, why }) => `${timeOf(atMs)}, ${returnWords(why, notice.rule)}`),
        ...(isActive ? ['até o fim do registro'] : []),
      ].join('\n'),
    ],
  };
}

function codeOf({ sector }: { readonly sector: string }): string {
  return sector;
}

function forecastRow(
  view: RecordView,
  { made, outcome }: JudgedForecast,
  { timeOf, nameOf }: WordContext,
): RecordRow {
  const { minutesBefore, kickOffAtMs, expected, perMinuteNeeded, estimated, without, range } = made.data;
  const of = without ? `, ${withoutWords(without, nameOf)}` : '';
  // The outcome was judged by the count of then: of the ground, and for the kick-off of the forecast.
  const isIncomplete = isIncompleteAt(view, kickOffAtMs, without);
  const admitted = without || isIncomplete ? null : (outcome?.data.admitted ?? null);
  const judged = outcome?.data ?? { isHeld: null };
  const isOfKickOff = kickOffAtMs === view.desk.state.times.kickOffAtMs;
  const held =
    isIncomplete && judged.isHeld !== null
      ? 'não conferida: contagem depois marcada como incompleta'
      : heldWords(judged);
  const coverage = range === null || range.coverage === null ? '' : ` (${Math.round(100 * range.coverage)}%)`;
  return {
    key: made.id,
    cells: [
      `${timeOf(made.atMs)} (T−${minutesBefore})${of}`,
      timeOf(kickOffAtMs),
      formatCount(Math.round(expected)),
      `${formatNeeded(perMinuteNeeded)}/min`,
      range === null
        ? 'sem faixa'
        : `${endsWords(formatCount(Math.round(range.low)), formatCount(Math.round(range.high)))}${coverage}, como em ${range.matches} jogos${estimated === undefined ? '' : `; com ${estimateWords(estimated)}`}`,
      ...(isOfKickOff
        ? [admitted === null ? admittedAtKickOff(view, kickOffAtMs, without) : formatCount(admitted), held]
        : [
            admitted === null ? 'não foi o início' : `${formatCount(admitted)}; não foi o início`,
            `${held}; o início mudou`,
          ]),
    ],
  };
}

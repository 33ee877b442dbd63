import type { AlarmHistory } from '../../domain/flow/alarms/alarm-history.ts';
import type { LogRow } from '../../domain/flow/flow-log.ts';
import type { JudgedForecast, RecordReport, Statement } from '../../domain/flow/record-report.ts';
import { logWords, RETURNED } from '../desk/alarms/log-words.ts';
import { RULE_WORDS } from '../desk/alarms/rule-words.ts';
import { listNames, sectorName } from '../desk/alarms/sector-name.ts';
import { formatCount } from '../design/number-format.ts';
import { readTimes } from './match-figures.ts';
import { RecordTable, type RecordRow } from './record-table.tsx';
import type { RecordView } from './record-view.ts';

interface EventPagesProps {
  readonly view: RecordView;
  readonly report: RecordReport;
}

/** What happened: alarms, what operators said, what was not watched, and what was forecast. */
export function EventPages({ view, report }: EventPagesProps) {
  const { sectors, log } = view.desk;
  const timeOf = readTimes(view);
  const rowsById = new Map(log.map((row) => [row.id, row]));
  const words = (row: LogRow): string =>
    logWords(row, {
      nameOf: (code) => sectorName(sectors, code),
      timeOf,
      find: (id) => rowsById.get(id),
    });
  const told = (row: LogRow): RecordRow => ({
    key: row.id,
    cells: [timeOf(row.atMs), words(row), row.by ?? 'servidor'],
  });
  const stated = ({ row, takenBack }: Statement): RecordRow => ({
    key: row.id,
    isVoid: takenBack !== null,
    cells: [
      timeOf(row.atMs),
      <>
        <span className="record-said">{words(row)}</span>
        {takenBack && (
          <small>
            DESFEITO às {timeOf(takenBack.atMs)} por {takenBack.by ?? 'servidor'}
          </small>
        )}
      </>,
      row.by ?? 'servidor',
    ],
  });
  const columns = ['hora', 'o quê', 'nome declarado'];
  return (
    <div className="record-events">
      <RecordTable
        title="Alarmes"
        columns={['desde', 'alarme', 'ciente', 'fim']}
        rows={report.alarms.map((alarm) => alarmRow(alarm, { rowsById, words, timeOf, sectors }))}
        empty="Nenhum alarme."
      />
      <RecordTable title="Marcas" columns={columns} rows={report.marks.map(stated)} empty="Nenhuma marca." />
      <RecordTable
        title="Decisões"
        columns={columns}
        rows={report.decisions.map(stated)}
        empty="Nenhuma decisão."
      />
      <RecordTable
        title="Ocorrências"
        columns={columns}
        rows={report.occurrences.map(stated)}
        empty="Nenhuma ocorrência."
      />
      <RecordTable title="Lotes" columns={columns} rows={report.lots.map(told)} empty="Nenhum lote." />
      <RecordTable
        title="Interrupções"
        columns={columns}
        rows={report.interruptions.map(told)}
        empty="Nenhuma interrupção."
      />
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
        rows={report.forecasts.map((forecast) => forecastRow(forecast, timeOf))}
        empty="Nenhuma previsão."
      />
    </div>
  );
}

interface AlarmContext {
  readonly rowsById: ReadonlyMap<string, LogRow>;
  readonly words: (row: LogRow) => string;
  readonly timeOf: (atMs: number) => string;
  readonly sectors: RecordView['desk']['sectors'];
}

function alarmRow(alarm: AlarmHistory, { rowsById, words, timeOf, sectors }: AlarmContext): RecordRow {
  const { id, notice, sinceMs, acknowledged, againAtMs, joined, returned } = alarm;
  const row = rowsById.get(id);
  return {
    key: id,
    cells: [
      timeOf(sinceMs),
      <>
        <strong>{RULE_WORDS[notice.rule]}</strong>
        <span>{row && words(row)}</span>
        {joined.length > 0 && (
          <small>também {listNames(joined.map(({ sector }) => sectorName(sectors, sector)))}</small>
        )}
        {againAtMs.length > 0 && <small>chamou de novo às {listNames(againAtMs.map(timeOf))}</small>}
      </>,
      acknowledged.length === 0 ? (
        'ninguém'
      ) : (
        <>
          {acknowledged.map(({ atMs, by, note }) => (
            <span key={atMs} className="record-line">
              {timeOf(atMs)} {by ?? 'servidor'}
              {note === null ? '' : `: “${note}”`}
            </span>
          ))}
        </>
      ),
      returned ? `${timeOf(returned.atMs)}, ${RETURNED[returned.why]}` : 'até o fim do registro',
    ],
  };
}

function forecastRow({ made, outcome }: JudgedForecast, timeOf: (atMs: number) => string): RecordRow {
  const { minutesBefore, kickOffAtMs, expected, perMinuteNeeded, range } = made.data;
  const admitted = outcome?.data.admitted ?? null;
  const isHeld = outcome?.data.isHeld ?? null;
  const coverage = range === null || range.coverage === null ? '' : ` (${Math.round(100 * range.coverage)}%)`;
  return {
    key: made.id,
    cells: [
      `${timeOf(made.atMs)} (T−${minutesBefore})`,
      timeOf(kickOffAtMs),
      formatCount(Math.round(expected)),
      `${formatCount(Math.ceil(perMinuteNeeded))}/min`,
      range === null
        ? 'sem faixa'
        : `${formatCount(Math.round(range.low))} a ${formatCount(Math.round(range.high))}${coverage}, como em ${range.matches} jogos`,
      admitted === null ? 'não conhecido' : formatCount(admitted),
      isHeld === null ? 'não conferida' : isHeld ? 'a faixa acertou' : 'a faixa errou',
    ],
  };
}

import { readSpan } from '../model/log/match-summary.ts';
import type { RecordReport } from '../model/log/record-report.ts';
import { formatCount } from '../../page/design/number-format.ts';
import { CurveFigure } from '../page/curve/curve.tsx';
import { countMinutes, unknownSpansOfGround } from '../page/curve/unknown-spans.ts';
import {
  type FigureNames,
  type MatchFigures,
  MOMENT_NAMES,
  PEAK_NAMES,
  readTimes,
  UNKNOWN,
} from './match-figures.ts';
import { formatDay } from '../page/event-time.ts';
import type { RecordView } from './record-view.ts';
import { warningsOf } from './warnings.ts';

interface SummaryPageProps {
  readonly view: RecordView;
  readonly report: RecordReport;
  readonly ground: MatchFigures;
  readonly names: FigureNames;
}

export function SummaryPage({ view, report, ground, names }: SummaryPageProps) {
  const { state } = view.desk;
  const dayMs = state.times.kickOffAtMs ?? state.lastMinuteMs ?? state.nowMs;
  const pairs = (keys: readonly string[], values: readonly string[]): Facts =>
    keys.map((name, index) => [name, values[index] ?? UNKNOWN]);
  return (
    <section className="record-summary">
      <header>
        <h1>{view.title}</h1>
        <p>
          Registro de acessos · {formatDay(dayMs, state.timeZone)} · horários de {state.timeZone} · evento{' '}
          {state.eventId}
        </p>
      </header>
      {warningsOf(view).map((warning) => (
        <p key={warning} className="record-warning">
          {warning}
        </p>
      ))}
      <div className="record-facts">
        <FactList title="O jogo" facts={matchFacts(view, report, ground, names)} />
        <FactList
          title="Acessos registrados"
          facts={[...pairs(MOMENT_NAMES, ground.atMoments), [names.admitted, ground.admitted]]}
        />
        <FactList
          title="Ritmo"
          facts={[...pairs(PEAK_NAMES, ground.peaks), ...pairs(names.arrived, ground.arrived)]}
        />
      </div>
      <div className="record-curve">
        <CurveFigure view={view.desk} sector={null} usual={view.usual} />
      </div>
    </section>
  );
}

type Facts = readonly (readonly [name: string, value: string])[];

function FactList({ title, facts }: { readonly title: string; readonly facts: Facts }) {
  return (
    <section>
      <h2>{title}</h2>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value.replace('≥', 'no mínimo').replace('≤', 'no máximo')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function matchFacts(view: RecordView, report: RecordReport, ground: MatchFigures, names: FigureNames): Facts {
  const { state, minutes } = view.desk;
  const timeOf = readTimes(view);
  const at = (atMs: number | null): string => (atMs === null ? 'sem horário' : timeOf(atMs));
  const span = readSpan(minutes);
  const [read = 0, undone = 0] = [1, -1].map((sign) =>
    report.lots.reduce((sum, { data }) => sum + Math.max(0, sign * data.count), 0),
  );
  return [
    ['ingressos válidos', ground.valid],
    [names.missing, ground.missing],
    ['portões', at(state.times.gatesOpenAtMs)],
    ['início', at(state.times.kickOffAtMs)],
    ['registro', span ? `${timeOf(span.fromMs)} a ${timeOf(span.toMs)}` : 'sem minutos'],
    ['minutos não conhecidos', formatCount(countMinutes(unknownSpansOfGround(view.desk), state.nowMs))],
    ['leituras em lote', `${formatCount(read)}${undone === 0 ? '' : `; ${formatCount(undone)} desfeitas`}`],
    ['alarmes', formatCount(report.alarms.length)],
    ['ocorrências', formatCount(report.occurrences.length)],
  ];
}

import type { LogRow } from '../model/log/flow-log.ts';
import { readLogState } from '../model/log/log-state.ts';
import { readSpan } from '../model/log/match-summary.ts';
import { groupBySector, uncountedSpans } from '../model/log/uncounted.ts';
import { unknownSpansOfGround } from '../page/curve/unknown-spans.ts';
import { sectorName } from '../page/actions/sector-name.ts';
import { estimateWords, spanWords } from '../page/span-words.ts';
import { formatCount } from '../../page/design/number-format.ts';
import { readTimes } from './match-figures.ts';
import { isPartial } from './partial.ts';
import { isSimulated } from './proof-lines.ts';
import type { RecordView } from './record-view.ts';

/** The warnings to read before any figure, the most important first. */
export function warningsOf(view: RecordView): readonly string[] {
  const { state, log, minutes, sectors } = view.desk;
  const { uncounted } = readLogState(log);
  const { proof } = view;
  const timeOf = readTimes(view);
  const span = readSpan(minutes);
  const warnings: string[] = [];
  if (isSimulated(proof, log)) warnings.push('SIMULADO: dados inventados, de nenhum jogo de verdade.');
  if (state.record.isUnread)
    warnings.push(
      'O registro não pôde ser lido: faltam aqui minutos, alarmes, marcas, ocorrências e evacuação. Não vale como registro do jogo.',
    );
  if (!span) warnings.push('Nenhum minuto registrado.');
  const changedAtMs = rowsChangedAtMs(log);
  if (changedAtMs !== undefined)
    warnings.push(
      `Outros setores desde ${timeOf(changedAtMs)}: os minutos de antes estão nos setores de agora, ou só no banco de dados.`,
    );
  const nameOf = (code: string | null): string =>
    code === null ? 'todos os setores' : sectorName(sectors, code);
  const incomplete = [...groupBySector(uncounted)].map(
    ([code, marks]) => `${nameOf(code)} ${spanWords(uncountedSpans(marks), timeOf)}`,
  );
  if (incomplete.length > 0) warnings.push(`Contagem incompleta: ${incomplete.join(', ')}.`);
  for (const { sector, estimate } of uncounted) {
    if (!estimate) continue;
    const { count, by, how } = estimate;
    warnings.push(
      `Estimativa, fora da contagem: ${nameOf(sector)} ${estimateWords(count)}, por ${by ?? 'servidor'}: “${how}”.`,
    );
  }
  const waiting = state.readings?.find(({ reason }) => reason === 'ticket')?.count;
  if (waiting) warnings.push(`Leituras de ingressos fora da lista, não contadas: ${formatCount(waiting)}.`);
  const { evacuatedAtMs, entryClosedAtMs } = state;
  if (evacuatedAtMs !== null) {
    warnings.push(`Evacuação às ${timeOf(evacuatedAtMs)}: acessos registrados, não pessoas presentes.`);
  }
  if (entryClosedAtMs !== null) warnings.push(`Entrada encerrada às ${timeOf(entryClosedAtMs)}.`);
  for (const { fromMs, toMs } of span ? unknownSpansOfGround(view.desk) : [])
    warnings.push(`Não conhecido: ${timeOf(fromMs)} a ${timeOf(toMs)}. Nenhum pico inclui estes minutos.`);
  if (isPartial(view)) {
    const until = timeOf(span?.toMs ?? state.nowMs);
    warnings.push(`Parcial: até ${until}. O jogo não acabou: nenhum número é o final.`);
  }
  if (!state.record.isKept) warnings.push('Registro só na memória do servidor: guarde os dois arquivos CSV.');
  const { minutesWaiting } = state.record;
  if (minutesWaiting > 0)
    warnings.push(`Minutos ainda não gravados no banco de dados: ${formatCount(minutesWaiting)}.`);
  return warnings;
}

/** When a server last started with rows that count other codes than before. */
function rowsChangedAtMs(log: readonly LogRow[]): number | undefined {
  const started = log.flatMap((row) => (row.kind === 'started' && row.data.rows !== undefined ? [row] : []));
  return started.findLast(({ data }, index) => index > 0 && started[index - 1]?.data.rows !== data.rows)
    ?.atMs;
}

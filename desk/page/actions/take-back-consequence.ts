import type { LogRow, TakeBackReason } from '../../model/log/flow-log.ts';
import { makesIncomplete, type SectorMark } from '../../model/log/marks.ts';
import { readLogState } from '../../model/log/log-state.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { leftWords } from '../frame/kick-off-words.ts';
import { statedEstimate } from '../span-words.ts';
import { activeEntry } from './active-entry.ts';

export const UNESTIMATED = 'sem uma estimativa a previsão é do resto do estádio, ou para';

const WATCHED_AGAIN = 'Alarmes e previsão voltam a valer, se nada mais os suspende.';

const STAYS_INCOMPLETE =
  'Alarmes de fluxo voltam a valer, se nada mais os suspende. Quem passou sem leitura continua fora da contagem: setor e total ficam “no mínimo” até o fim do jogo';
const WHOLE_AGAIN =
  'Só se ninguém passou sem leitura: setor e total voltam a ser a contagem inteira, na mesa, no telão e no papel, se nada mais os deixa “no mínimo”.';

/** Describes the consequence of taking this entry back; null where there is none to name. */
export function consequenceOf(entry: LogRow, why: TakeBackReason | undefined, view: DeskView): string | null {
  const { state, log } = view;
  switch (entry.kind) {
    case 'mark': {
      if (!makesIncomplete(entry.data.mark))
        return state.marks.some(({ id }) => id === entry.id)
          ? WATCHED_AGAIN
          : 'A marca fica riscada no registro.';
      if (why === 'mistake') return WHOLE_AGAIN;
      return `${STAYS_INCOMPLETE}, e ${forecastWords(state.marks.find(({ id }) => id === entry.id))}.`;
    }
    case 'estimate':
      return estimateBefore(entry, view);
    case 'kick-off':
      return activeEntry(log, 'kick-off')?.id === entry.id
        ? kickOffBefore(entry, log, state)
        : 'O horário que vale não muda: este já foi trocado por outro.';
    case 'entry-closed':
      return 'Alarmes de fluxo e previsão voltam a valer, se nada mais os suspende.';
    case 'evacuation':
      return `${WATCHED_AGAIN} O texto de evacuação, se está no telão, sai de lá.`;
    case 'occurrence':
      return 'A ocorrência fica riscada no registro.';
    case 'suspend':
      return 'Se o problema continua, o alarme chama de novo.';
    default:
      return null;
  }
}

/** Describes what is left to do for whoever ends a mark that another desk has called a mistake; null where nothing is. */
export function afterMistake(
  entry: LogRow,
  why: TakeBackReason | undefined,
  before: TakeBackReason,
  view: DeskView,
): string | null {
  if (entry.kind !== 'mark' || !makesIncomplete(entry.data.mark)) return null;
  if (why !== 'ended' || before !== 'mistake') return null;
  const since = formatTime(entry.data.sinceMs ?? entry.atMs, view.state.timeZone);
  return `A contagem está outra vez como inteira. Se passaram pessoas sem leitura, marque o setor de novo, desde ${since}, e depois “acabou”.`;
}

function forecastWords(mark: SectorMark | undefined): string {
  if (!mark?.estimate) return UNESTIMATED;
  return `a estimativa continua a valer: ${statedEstimate(mark.estimate)}`;
}

/** "~150 sem leitura (Bia: “contagem manual”), das 19:04". */
export function estimateAtWords(
  estimate: NonNullable<SectorMark['estimate']>,
  { state }: Pick<DeskView, 'state'>,
): string {
  return `${statedEstimate(estimate)}, das ${formatTime(estimate.atMs, state.timeZone)}`;
}

/** The estimate of the mark as it will be without this entry. */
function estimateBefore(entry: Extract<LogRow, { kind: 'estimate' }>, view: DeskView): string {
  const { id, data } = entry;
  const estimateIn = (marks: readonly SectorMark[]) => marks.find((mark) => mark.id === data.mark)?.estimate;
  const before = estimateIn(readLogState(view.log.filter((row) => row.id !== id)).uncounted);
  if (!before) return `Fica sem estimativa: ${UNESTIMATED}.`;
  const isSame = estimateIn(view.state.marks)?.atMs === before.atMs;
  return `${isSame ? 'A estimativa que vale não muda' : 'Volta a valer a de antes'}: ${estimateAtWords(before, view)}.`;
}

/** The kick-off as it will be without this entry. */
function kickOffBefore({ id }: LogRow, log: DeskView['log'], { nowMs, timeZone }: DeskView['state']): string {
  const { kickOffAtMs } = readLogState(log.filter((row) => row.id !== id));
  if (kickOffAtMs === null) return 'O início volta a não ter horário.';
  const left = kickOffAtMs > nowMs ? `daqui a ${leftWords(kickOffAtMs - nowMs)}` : 'que já passou';
  return `Volta a valer o horário de antes: ${formatTime(kickOffAtMs, timeZone)}, ${left}.`;
}

import { stillToEnter } from '../../model/series/still-to-enter.ts';
import { estimatedCount, uncountedMarks } from '../../model/log/uncounted.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatShare } from '../figure-format.ts';
import { estimatedWords } from '../span-words.ts';
import { staleSinceMs } from '../stale-since.ts';
import { describeIncomplete } from '../caveats.ts';

export interface TotalWords {
  readonly label: string;
  readonly admitted: string;
  /** Caveats beside the count. */
  readonly doubts: readonly string[];
  /** "38.112 lidos + ~150 sem leitura"; null without an estimate. */
  readonly estimate: string | null;
  readonly facts: readonly string[];
  readonly caveats: readonly string[];
  readonly isStale: boolean;
  /** The counted people may have left, which the label states. */
  readonly isEvacuated: boolean;
}

/** The total counts readings: people who passed unread are not in it, and people who left are. */
export function totalWords(view: DeskView): TotalWords {
  const { total, timeZone, entryClosedAtMs, evacuatedAtMs } = view.state;
  const { admitted, valid, capacity } = total;
  const incomplete = describeIncomplete(view);
  const atLeast = incomplete === null ? '' : 'no mínimo ';
  const isEvacuated = evacuatedAtMs !== null;
  const staleMs = staleSinceMs(view);
  const caveats: string[] = [];
  if (incomplete !== null) caveats.push(`contagem incompleta: ${incomplete}`);
  if (entryClosedAtMs !== null) caveats.push(`entrada encerrada às ${formatTime(entryClosedAtMs, timeZone)}`);
  if (isEvacuated) caveats.push(`evacuação às ${formatTime(evacuatedAtMs, timeZone)}`);
  return {
    label: isEvacuated ? 'acessos registrados, não pessoas presentes' : 'acessos',
    admitted: formatCount(admitted),
    doubts: [
      ...(incomplete === null ? [] : ['no mínimo']),
      ...(staleMs === null ? [] : [`sem dados desde ${formatTime(staleMs, timeZone)}`]),
    ],
    estimate: estimated(view),
    facts: [
      ...ofValid(admitted, valid, atLeast),
      ...(capacity === null ? [] : [ofCapacity(view, capacity, atLeast)]),
      ...(isEvacuated ? [] : stillToCome(view, incomplete !== null)),
    ],
    caveats,
    isStale: staleMs !== null,
    isEvacuated,
  };
}

/** The estimate stands beside the count, never in it. */
function estimated({ state: { marks, total } }: DeskView): string | null {
  const words = estimatedWords(uncountedMarks(marks, null));
  return words && `${formatCount(total.admitted)} lidos + ${words}`;
}

function ofValid(admitted: number, valid: number, atLeast: string): readonly string[] {
  const share = formatShare(admitted, valid);
  if (share === null) return ['nenhum ingresso válido'];
  return [`de ${formatCount(valid)} ingressos válidos`, `${atLeast}${share}`];
}

/** The alarms of capacity count the estimates. */
function ofCapacity({ state: { marks, total } }: DeskView, capacity: number, atLeast: string): string {
  const share = formatShare(total.admitted, capacity);
  const estimate = estimatedCount(uncountedMarks(marks, null)) ?? 0;
  const inside = formatShare(total.admitted + estimate, capacity);
  const withEstimate = inside === share ? '' : ` (com a estimativa ${inside})`;
  return `lotação permitida ${formatCount(capacity)}${share === null ? '' : `: ${atLeast}${share}${withEstimate}`}`;
}

/** A recorded minute lacks who is in without a valid ticket: valid less admitted is a lower bound, of an incomplete count none. */
function stillToCome({ state: { total }, replay }: DeskView, isIncomplete: boolean): readonly string[] {
  if (isIncomplete && replay !== null) return ['fila: não medida'];
  const bound = isIncomplete ? 'no máximo ' : replay === null ? '' : 'no mínimo ';
  const pending = stillToEnter(total);
  const count = formatCount(Math.max(0, pending));
  const verb = pending === 1 ? 'entrou' : 'entraram';
  return [`${bound}${count} ainda não ${verb}`, 'fila: não medida'];
}

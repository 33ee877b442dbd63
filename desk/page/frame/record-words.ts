import type { DeskRecord } from '../../model/desk-state.ts';
import { formatCount } from '../../../page/design/number-format.ts';

/** Warns of a record that is unavailable, or only in memory. */
export function recordWords({ state, isKept, minutesWaiting }: DeskRecord): string | undefined {
  if (state.kind === 'away')
    return `Registro indisponível: lançamentos não são aceitos agora${waitingWords(minutesWaiting)}.`;
  if (!isKept) return 'Registro só na memória, desde que o servidor começou: termina com ele.';
  return undefined;
}

function waitingWords(minutes: number): string {
  if (minutes === 0) return '';
  return minutes === 1
    ? '; 1 minuto espera para ser gravado'
    : `; ${formatCount(minutes)} minutos esperam para ser gravados`;
}

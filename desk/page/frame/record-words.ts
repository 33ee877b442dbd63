import type { DeskRecord } from '../../model/desk-state.ts';
import { formatCount } from '../../../page/design/number-format.ts';

const UNREAD =
  'SEM O REGISTRO: esta mesa não sabe de evacuação, marcas, alarmes nem início mudado. O que valia continua valendo; nada é lançado. Chame quem administra o servidor.';

/** Warns of a record that could not be read, is unavailable, or only in memory. */
export function recordWords({ state, isKept, minutesWaiting, isUnread }: DeskRecord): string | undefined {
  if (isUnread) return UNREAD;
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

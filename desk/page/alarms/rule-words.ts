import type { AlarmRule } from '../../model/alarms/alarm.ts';
import type { DeskState } from '../../model/desk-state.ts';
import type { Mark } from '../../model/log/flow-log.ts';

/** The signs of plain text, as in a tab's title. */
export const RULE_SIGNS: Readonly<Record<AlarmRule, string>> = {
  stopped: '■',
  dropped: '▼',
  'ground-dropped': '▼',
  'several-stopped': '■',
  'no-data': '○',
  'near-capacity': '◆',
  'at-capacity': '◆',
  'above-capacity': '▲',
};

const ADVICE: Readonly<Record<AlarmRule, string>> = {
  stopped: 'Confirme com o portão. Passam sem leitura? Marque o setor.',
  dropped: 'Pergunte ao portão: catraca parada, revista lenta, fila?',
  'ground-dropped': 'Pergunte aos portões e verifique a origem dos dados.',
  'several-stopped':
    'Verifique primeiro a origem: sistema dos portões, rede, energia. Há gente nos portões? Pergunte por rádio.',
  'no-data': 'Confirme com os portões por rádio; verifique rede e banco de dados.',
  'near-capacity': 'Avise os portões e prepare o desvio de quem ainda chega.',
  'at-capacity': 'Controle a entrada: só passa quem ainda cabe.',
  'above-capacity': 'Feche a entrada e confira a ocupação no local.',
};

/** Returns what to do about an alarm of this rule. Once the entry is closed, or it is full, nobody is to come in any more. */
export function adviceOf(
  rule: AlarmRule,
  { entryClosedAtMs }: Pick<DeskState, 'entryClosedAtMs'>,
  isFull = false,
): string {
  if (rule !== 'near-capacity' && rule !== 'at-capacity') return ADVICE[rule];
  if (entryClosedAtMs !== null) return 'Entrada encerrada: confirme que os portões fecharam.';
  return ADVICE[isFull ? 'above-capacity' : rule];
}

export const MARK_WORDS: Readonly<Record<Mark, string>> = {
  unscanned: 'entrada liberada sem leitura',
  suspended: 'entrada suspensa',
  elsewhere: 'leitura em outro sistema',
};

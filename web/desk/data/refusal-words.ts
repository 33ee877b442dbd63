import type { CommandRefusal } from '../../../domain/flow/desk-command.ts';

/** Why a command makes no sense now, for whoever gave it. */
export const REFUSAL_WORDS: Readonly<Record<CommandRefusal, string>> = {
  'id-in-use': 'Já está no registro com outro conteúdo ou outro nome: confira o registro antes de repetir.',
  'in-force': 'Isto já vale: outra mesa pode ter feito o mesmo.',
  'before-gates-open': 'O início ficaria antes da abertura dos portões.',
  'no-such-entry': 'O lançamento não está no registro.',
  permanent: 'Este lançamento não pode ser desfeito.',
  'taken-back': 'Já foi desfeito.',
  'no-such-alarm': 'O alarme não está no registro.',
  acknowledged: 'Já está ciente: outra mesa foi mais rápida.',
  over: 'O alarme já terminou.',
};

/** What cannot be taken of a command, by its field. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  text: 'Escreva um texto de até 500 letras, em uma linha, sem caracteres invisíveis.',
  note: 'Escreva uma nota de até 500 letras, em uma linha, sem caracteres invisíveis.',
  reason: 'Escreva um motivo de até 500 letras, em uma linha, sem caracteres invisíveis.',
  kickOffAtMs: 'O início deve ficar a menos de um dia de agora.',
  sector: 'O setor não é deste evento: recarregue a página.',
};

/** What the server says to a command that it does not take. */
export function refusalWords(
  status: number,
  problem: { readonly reason?: unknown; readonly field?: unknown },
): string {
  const { reason, field } = problem;
  if (status === 409 && typeof reason === 'string' && Object.hasOwn(REFUSAL_WORDS, reason)) {
    return REFUSAL_WORDS[reason as CommandRefusal];
  }
  if (status === 422 && typeof field === 'string' && Object.hasOwn(FIELD_WORDS, field)) {
    return FIELD_WORDS[field] ?? '';
  }
  if (status === 413) return 'O texto é longo demais.';
  if (status === 429) return 'Muitos lançamentos em um minuto: espere um pouco e tente de novo.';
  if (status === 403) return 'O servidor não reconhece este endereço como seu. Nada foi gravado.';
  return `O servidor não aceitou (${status}). Nada foi gravado.`;
}

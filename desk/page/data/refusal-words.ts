import type { CommandRefusal } from '../../model/log/desk-command.ts';

const REFUSAL_WORDS: Readonly<Record<CommandRefusal, string>> = {
  'id-in-use': 'já está no registro com outro conteúdo ou outro nome: confira o registro antes de repetir',
  'other-operator': 'outra pessoa entrou nesta mesa: se ainda vale, registre de novo em seu nome',
  'too-late': 'passou tempo demais desde que foi dado',
  'in-force': 'isto já vale: outra mesa pode ter feito o mesmo',
  changed: 'o início foi mudado depois disto: veja o de agora e, se este ainda vale, mande de novo',
  ended: 'outra mesa registrou o mesmo e já o encerrou depois disto: se ainda vale, registre de novo',
  'before-gates-open': 'o início ficaria antes da abertura dos portões',
  'no-such-entry': 'o lançamento não está no registro',
  permanent: 'este lançamento não pode ser desfeito',
  'taken-back': 'isto já acabou ou foi desfeito: outra mesa foi mais rápida',
  'no-such-alarm': 'o alarme não está no registro',
  acknowledged: 'já está ciente: outra mesa foi mais rápida',
  over: 'o alarme já terminou',
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  text: 'escreva um texto de até 500 letras, em uma linha, sem caracteres invisíveis',
  note: 'escreva uma nota de até 500 letras, em uma linha, sem caracteres invisíveis',
  reason: 'escreva um motivo de até 500 letras, em uma linha, sem caracteres invisíveis',
  sinceMs: 'o “desde” deve ser do último dia, e não depois de agora',
  count: 'a estimativa é um número inteiro de pessoas, até um milhão',
  how: 'escreva como foi estimado, em até 500 letras, em uma linha, sem caracteres invisíveis',
  kickOffAtMs: 'o início deve ficar a menos de um dia de agora',
  sector: 'o setor não é deste evento: recarregue a página',
};

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
  if (status === 413) return 'o texto é longo demais';
  if (status === 429) return 'muitos lançamentos em um minuto: espere um pouco e tente de novo';
  if (status === 403) return 'o servidor não reconhece este endereço como seu';
  return `o servidor não aceitou (${status})`;
}

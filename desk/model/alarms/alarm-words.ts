import type { AlarmNotice, AlarmRule, CapacityFigures, ReturnReason } from './alarm.ts';

const WHOLE_NUMBER = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 0 });

export const RULE_WORDS: Readonly<Record<AlarmRule, string>> = {
  stopped: 'sem acessos registrados',
  dropped: 'acessos em queda',
  'ground-dropped': 'acessos em queda',
  'several-stopped': 'vários setores sem acessos',
  'no-data': 'sem dados',
  'near-capacity': 'perto da lotação',
  'at-capacity': 'no limite',
  'above-capacity': 'ACIMA DA CAPACIDADE',
};

const RETURN_WORDS: Readonly<Record<Exclude<ReturnReason, 'resolved'>, string>> = {
  withdrawn: 'retirado, não se sabe se voltou',
  replaced: 'substituído por outro alarme',
};

/** What the end of an alarm means that is not about the flow. */
const RESOLVED_WORDS: Readonly<Partial<Record<AlarmRule, string>>> = {
  'no-data': 'a contagem voltou',
  'near-capacity': 'deixou de estar perto da lotação',
  'at-capacity': 'deixou de estar no limite',
  'above-capacity': 'deixou de estar acima da capacidade',
};

/** How an alarm returned. `rule` is that of the alarm, where it is known. */
export function returnWords(why: ReturnReason, rule: AlarmRule | null | undefined): string {
  if (why !== 'resolved') return RETURN_WORDS[why];
  return (rule && RESOLVED_WORDS[rule]) ?? 'voltou ao normal';
}

/** "Voltou" would mean that all is well again. */
export const CALLS_AGAIN = 'o alarme chama de novo';

export const SILENTLY = 'sem chamar (alarme suspenso)';

/** Returns an instant in the minute of a stopped sector's last reading: the ten seconds before its silence begins. */
export function lastReadMs(silentSinceMs: number): number {
  return silentSinceMs - 1;
}

/** Describes a raised alarm in Portuguese; `names` are those of its sectors, none for the whole ground. */
export function alarmWords(
  notice: AlarmNotice,
  names: readonly string[],
  timeOf: (atMs: number) => string,
): string {
  const what = wordsOf(notice, timeOf);
  return names.length === 0 ? `Estádio: ${what}` : `${names.join(', ')}: ${what}`;
}

function wordsOf(notice: AlarmNotice, timeOf: (atMs: number) => string): string {
  switch (notice.rule) {
    case 'stopped': {
      const { silentSinceMs, before } = notice.figures;
      return `nenhum acesso registrado desde ${timeOf(lastReadMs(silentSinceMs))} (antes, ${number(before)} por minuto)`;
    }
    case 'dropped':
    case 'ground-dropped': {
      const { entered, expected, windowMs } = notice.figures;
      return `acessos em queda: ${number(entered)} em ${minutes(windowMs)}, eram esperados ${number(expected)}`;
    }
    case 'several-stopped':
      return 'sem acessos registrados ao mesmo tempo (verificar primeiro a origem dos dados)';
    case 'no-data':
      return 'sem dados da contagem';
    case 'near-capacity':
      return `perto da lotação: ${fill(notice.figures)}`;
    case 'at-capacity':
      return `no limite da lotação: ${fill(notice.figures)}`;
    case 'above-capacity':
      return `ACIMA DA CAPACIDADE: ${fill(notice.figures)}`;
  }
  throw new Error('unreachable: all rules are covered');
}

function fill({ admitted, capacity, isAtLeast, estimated }: CapacityFigures): string {
  const unread = estimated === undefined ? '' : `, e ~${number(estimated)} sem leitura`;
  return `${isAtLeast ? 'no mínimo ' : ''}${number(admitted)} de ${number(capacity)}${unread}`;
}

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} min`;
}

function number(value: number): string {
  return WHOLE_NUMBER.format(value);
}

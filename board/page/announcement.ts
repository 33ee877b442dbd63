import { formatCount } from '../../page/design/number-format.ts';

/** The total for screen readers; `isAtLeast`: people entered who are not counted. */
export function announceTotal(total: number, isAtLeast: boolean): string {
  if (isAtLeast) return `Contagem incompleta: no mínimo ${formatCount(total)}`;
  if (total === 0) return 'Ninguém entrou ainda';
  return total === 1 ? '1 pessoa entrou' : `${formatCount(total)} pessoas entraram`;
}

export function announceTrust(stale: boolean): string {
  return stale ? 'Os números pararam de ser atualizados' : 'Os números voltaram a ser atualizados';
}

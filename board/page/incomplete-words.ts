import type { IncompleteRow } from '../../domain/live-message.ts';
import type { ShownSector } from '../../domain/shown-venue.ts';

/** More would not fit into the line of a wall. */
const MOST_LETTERS = 90;

/** "contagem incompleta: NORTE desde 18:52, SUL DORIL 18:33–18:40": the first, and as many others as fit. */
export function incompleteWords(
  incomplete: readonly IncompleteRow[],
  sectors: readonly ShownSector[],
): string {
  if (incomplete[0]?.from === '') return 'sem o registro, não se sabe se todos foram lidos';
  const spans = incomplete.map(({ row, from, to }) => {
    const name = sectors.find(({ code }) => code === row)?.name ?? row ?? 'todos os setores';
    return `${name || 'fora destes setores'} ${to === null ? `desde ${from}` : `${from}–${to}`}`;
  });
  for (let most = spans.length; ; most -= 1) {
    const more = spans.length > most ? ` e mais ${spans.length - most}` : '';
    const words = `contagem incompleta: ${spans.slice(0, most).join(', ')}${more}`;
    if (most < 2 || words.length <= MOST_LETTERS) return words;
  }
}

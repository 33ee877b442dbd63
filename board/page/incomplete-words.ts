import type { IncompleteRow } from '../../domain/live-message.ts';
import type { ShownSector } from '../../domain/shown-venue.ts';

/** More spans would not fit into one line. */
const MOST = 2;

/** "contagem incompleta: SUL DORIL 18:33–18:40, NORTE desde 18:52". */
export function incompleteWords(
  incomplete: readonly IncompleteRow[],
  sectors: readonly ShownSector[],
): string {
  if (incomplete[0]?.from === '') return 'sem o registro, não se sabe se todos foram lidos';
  const spans = incomplete.map(({ row, from, to }) => {
    const name = sectors.find(({ code }) => code === row)?.name ?? row;
    const where = row === null ? 'todos os setores' : row === '' ? 'fora destes setores' : name;
    return to === null ? `${where} desde ${from}` : `${where} ${from}–${to}`;
  });
  const more = spans.length > MOST ? ` e mais ${spans.length - MOST}` : '';
  return `contagem incompleta: ${spans.slice(0, MOST).join(', ')}${more}`;
}

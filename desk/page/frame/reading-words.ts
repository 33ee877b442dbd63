import { READINGS_MINUTES, type ReadingCount } from '../../model/desk-readings.ts';
import { formatCount } from '../../../page/design/number-format.ts';

/** The reasons for readings that wait for their ticket, and would count. */
const KEPT: Readonly<Record<string, string>> = {
  ticket: 'sem setor',
  event: 'de jogo desconhecido',
  simulated: 'em jogo simulado',
};

const REFUSED: Readonly<Record<string, string>> = {
  message: 'mensagem inválida',
  time: 'horário inválido',
  database: 'negada pelo banco',
};

/** States which readings of the last minutes are not in the count, and why, if any. */
export function readingWords(readings: readonly ReadingCount[] = []): string | undefined {
  const parts = [
    ...partsOf(readings, 'kept').map(
      ({ reason, count }) => `${formatCount(count)} ${KEPT[reason] ?? reason}`,
    ),
    ...refusedWords(partsOf(readings, 'refused')),
  ];
  if (parts.length === 0) return undefined;
  return `Leituras fora da contagem nos últimos ${READINGS_MINUTES} min: ${parts.join(', ')}.`;
}

function refusedWords(refused: readonly ReadingCount[]): string[] {
  if (refused.length === 0) return [];
  const sum = refused.reduce((all, { count }) => all + count, 0);
  const why = refused.map(({ reason, count }) => `${formatCount(count)} ${REFUSED[reason] ?? reason}`);
  return [`${formatCount(sum)} ${sum === 1 ? 'recusada' : 'recusadas'} (${why.join(', ')})`];
}

function partsOf(readings: readonly ReadingCount[], outcome: ReadingCount['outcome']): ReadingCount[] {
  return readings.filter((reading) => reading.outcome === outcome);
}

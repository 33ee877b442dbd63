import { READINGS_MINUTES, type ReadingCount } from '../../model/desk-readings.ts';
import { formatCount } from '../../../page/design/number-format.ts';

const UNKNOWN_EVENT = 'event';

/** The reasons for readings that wait for their ticket, and would count. */
const KEPT: Readonly<Record<string, string>> = {
  ticket: 'sem setor',
  [UNKNOWN_EVENT]: 'de jogo desconhecido',
  simulated: 'em jogo simulado',
  database: 'negadas pelo banco',
};

/** The words for one, and for more. */
const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  message: ['mensagem inválida', 'mensagens inválidas'],
  time: ['horário inválido', 'horários inválidos'],
  database: ['negada pelo banco', 'negadas pelo banco'],
};

/** States which readings are not in the count, and why, if any: those that wait, then those of the last minutes. */
export function readingWords(readings: readonly ReadingCount[] = []): string | undefined {
  const kept = partsOf(readings, 'kept');
  const words = ({ reason, count }: ReadingCount): string =>
    `${formatCount(count)} ${KEPT[reason] ?? reason}`;
  const waiting = kept
    .filter(({ reason }) => reason !== UNKNOWN_EVENT)
    .map(words)
    .join(', ');
  const recent = [
    ...kept.filter(({ reason }) => reason === UNKNOWN_EVENT).map(words),
    ...refusedWords(partsOf(readings, 'refused')),
  ].join(', ');
  const parts = [waiting, recent && `nos últimos ${READINGS_MINUTES} min, ${recent}`].filter(Boolean);
  return parts.length === 0 ? undefined : `Leituras fora da contagem: ${parts.join('; ')}.`;
}

function refusedWords(refused: readonly ReadingCount[]): string[] {
  if (refused.length === 0) return [];
  const sum = refused.reduce((all, { count }) => all + count, 0);
  const why = refused.map(({ reason, count }) => {
    const [one, many] = REFUSED[reason] ?? [reason, reason];
    return `${formatCount(count)} ${count === 1 ? one : many}`;
  });
  return [`${formatCount(sum)} ${sum === 1 ? 'recusada' : 'recusadas'} (${why.join(', ')})`];
}

function partsOf(readings: readonly ReadingCount[], outcome: ReadingCount['outcome']): ReadingCount[] {
  return readings.filter((reading) => reading.outcome === outcome);
}

import type { StoredOutcome, Unjudged } from './stored-forecast.ts';

const WORDS: Readonly<Record<Unjudged, string>> = {
  incomplete: ': contagem incompleta',
  'entry-closed': ': entrada encerrada',
  evacuated: ': evacuação',
  unseen: ': sem dados',
};

/** "a faixa acertou", "não conferida: contagem incompleta". */
export function heldWords({ isHeld, why }: Pick<StoredOutcome, 'isHeld' | 'why'>): string {
  if (isHeld === null) return `não conferida${why ? WORDS[why] : ''}`;
  return isHeld ? 'a faixa acertou' : 'a faixa errou';
}

import type { StoredOutcome, Unjudged } from './stored-forecast.ts';

/** `incomplete` is of when it was judged: a mark may have turned out to be a mistake since. */
const WORDS: Readonly<Record<Unjudged, string>> = {
  incomplete: ': contagem então marcada como incompleta',
  'entry-closed': ': entrada encerrada',
  evacuated: ': evacuação',
  unseen: ': sem dados',
};

/** "a faixa acertou", "não conferida: sem dados". */
export function heldWords({ isHeld, why }: Pick<StoredOutcome, 'isHeld' | 'why'>): string {
  if (isHeld === null) return `não conferida${why ? WORDS[why] : ''}`;
  return isHeld ? 'a faixa acertou' : 'a faixa errou';
}

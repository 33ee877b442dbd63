import { expect, test } from 'vitest';
import { titleLines } from './title-lines.ts';

test.each([
  [1, 'Triagem'],
  [1, 'Triagem · Palestra × Atlético'],
  [2, 'Triagem · PALMEIRAS X CORINTHIANS'],
  [2, 'Triagem · Palestra Itália × Clube Atlético Mineiro'],
  [3, 'Triagem · Campeonato Brasileiro Série A, 34ª rodada: Palestra × Atlético'],
  [5, `Triagem · ${'Campeonato '.repeat(40)}`],
])('keeps %i lines free for %s', (lines, title) => {
  expect(titleLines(title)).toBe(lines);
});

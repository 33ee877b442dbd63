import { exponential, seededRandom } from '../../gates/simulator/generated/random.ts';

/**
 * How long until the next one comes, in milliseconds, where each comes at random and knows of no other: the gaps are
 * exponential. Each call gives the next; the same seed gives the same.
 */
export function randomGaps(perSecond: number, seed: number): () => number {
  const random = seededRandom(seed);
  return () => (exponential(random) * 1_000) / perSecond;
}

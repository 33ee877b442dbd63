import { expect, test } from 'vitest';
import { withStops } from './stops.ts';

test('what was started is stopped in the opposite order, and the answer given', async () => {
  const stopped: string[] = [];
  const answer = await withStops(async (stops) => {
    stops.push(
      () => void stopped.push('first'),
      async () => stopped.push('second'),
    );
    return 'done';
  });
  expect(answer).toBe('done');
  expect(stopped).toEqual(['second', 'first']);
});

test('everything is stopped when the work breaks, and when a stop does', async () => {
  const stopped: string[] = [];
  const work = withStops(async (stops) => {
    stops.push(
      () => void stopped.push('first'),
      () => Promise.reject(new Error('does not stop')),
      () => void stopped.push('third'),
    );
  });
  await expect(work).rejects.toThrow('does not stop');
  expect(stopped).toEqual(['third', 'first']);
  const broken = withStops(async (stops) => {
    stops.push(
      () => void stopped.push('again'),
      () => Promise.reject(new Error('does not stop either')),
    );
    throw new Error('broke');
  });
  await expect(broken).rejects.toThrow('broke');
  expect(stopped.at(-1)).toBe('again');
});

import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { QuestionPace } from './question-pace.ts';

test('two hundred questions are sent at once, and more in their order, no faster than a counter answers', async () => {
  const pace = new QuestionPace();
  const startMs = performance.now();
  const gone: number[] = [];
  const ask = async (number: number): Promise<void> => {
    await pace.turn();
    gone.push(number);
  };
  await Promise.all(Array.from({ length: 245 }, (_, number) => ask(number)));
  expect(gone).toEqual(Array.from({ length: 245 }, (_, number) => number));
  expect(performance.now() - startMs).toBeGreaterThan(900);
});

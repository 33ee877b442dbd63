import { expect, test } from 'vitest';
import { slowJson } from './slow-json.ts';

test('what takes long is told with signs of life before it, and is JSON all the same', async () => {
  let resolve: (value: object) => void = () => {};
  const promise = new Promise<object>((done) => (resolve = done));
  const pieces: string[] = [];
  for await (const piece of slowJson(promise, 1)) {
    pieces.push(piece);
    if (pieces.length === 3) resolve({ total: 7 });
  }
  expect(pieces.slice(0, 3)).toEqual([' ', ' ', ' ']);
  expect(JSON.parse(pieces.join(''))).toEqual({ total: 7 });
});

test('what is there at once has none', async () => {
  const pieces: string[] = [];
  for await (const piece of slowJson(Promise.resolve({ total: 7 }))) pieces.push(piece);
  expect(pieces).toEqual(['{"total":7}']);
});

test('what fails ends the answer', async () => {
  const pieces = slowJson(Promise.reject(new Error('gone')));
  await expect(pieces.next()).rejects.toThrow('gone');
});

import { expect, it } from 'vitest';
import { createStore } from './store.ts';

it('notifies its listeners of each change once, and of nothing else', () => {
  const store = createStore(1);
  const seen: number[] = [];
  const stop = store.subscribe(() => seen.push(store.get()));
  store.set(2);
  store.set(2);
  store.set(3);
  stop();
  store.set(4);
  expect(seen).toEqual([2, 3]);
});

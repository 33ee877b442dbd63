import { useCallback } from 'react';
import { createStore } from '../../live/store.ts';
import { useStore } from '../../live/use-store.ts';

const kept = createStore<ReadonlyMap<string, unknown>>(new Map());

/**
 * As React's state, but of the page instead of the component: what is typed is still there when the desk is drawn anew,
 * after a session that ended, for one. `initial` must be a value that compares as the same each time; setting it forgets.
 */
export function useKept<T>(key: string, initial: T): readonly [T, (next: T) => void] {
  const value = useStore(kept, (values) => (values.has(key) ? (values.get(key) as T) : initial));
  const set = useCallback(
    (next: T) => {
      const values = new Map(kept.get());
      if (Object.is(next, initial)) values.delete(key);
      else values.set(key, next);
      kept.set(values);
    },
    [key, initial],
  );
  return [value, set];
}

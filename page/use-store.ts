import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** A part of a value; renders again only when that part changes, so `select` must not build new objects. */
export function useStore<T, Part>(store: ReadableStore<T>, select: (value: T) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

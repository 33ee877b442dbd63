import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** Selects a part of a value. The component renders again only when that part changes: `select` must not build new objects. */
export function useStore<T, Part>(store: ReadableStore<T>, select: (value: T) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}

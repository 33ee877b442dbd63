import { useSyncExternalStore } from 'react';
import type { Watched } from './board-store.ts';

/** A part of a value; renders again only when that part changes, so `select` must not build new objects. */
export function useWatched<T, Part>(watched: Watched<T>, select: (value: T) => Part): Part {
  return useSyncExternalStore(watched.subscribe, () => select(watched.get()));
}

import { useSyncExternalStore } from 'react';
import type { BoardState } from './board-state.ts';
import type { Watched } from './board-store.ts';

/** A part of the board; renders again only when that part changes, so `select` must not build new objects. */
export function useBoard<T>(board: Watched<BoardState>, select: (state: BoardState) => T): T {
  return useWatched(board, select);
}

/** The same of any value that can be watched. */
export function useWatched<T, Part>(watched: Watched<T>, select: (value: T) => Part): Part {
  return useSyncExternalStore(watched.subscribe, () => select(watched.get()));
}

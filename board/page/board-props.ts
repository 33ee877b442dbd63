import type { ComponentType } from 'react';
import type { LiveState } from '../../page/live-state.ts';
import type { ReadableStore } from '../../page/store.ts';

export interface BoardProps {
  readonly state: ReadableStore<LiveState>;
}

/** A part of the board, `undefined` until it has loaded. */
export type LazyPart = ReadableStore<ComponentType<BoardProps> | undefined>;

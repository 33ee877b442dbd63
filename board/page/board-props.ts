import type { ComponentType } from 'react';
import type { LiveState } from '../../page/live-state.ts';
import type { ReadableStore } from '../../page/store.ts';

/** What a part of the board draws. */
export interface BoardProps {
  readonly state: ReadableStore<LiveState>;
}

/** A part that loads on its own; `undefined` until it is there. */
export type LazyPart = ReadableStore<ComponentType<BoardProps> | undefined>;

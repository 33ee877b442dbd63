import type { DeskState } from '../../model/desk-state.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { ReplayProblem } from './read-recorded.ts';

export const REPLAY_SPEEDS = [1, 10, 60] as const;

export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

/** A replay of recorded minutes. A minute is named by its beginning, and displayed as the desk was at its end. */
export interface Replay {
  /** The requested minute. */
  readonly wantedMs: number;
  /** The displayed minute; undefined until the first one has come. */
  readonly shown: DeskState | undefined;
  /** Undefined while paused. */
  readonly speed: ReplaySpeed | undefined;
  /** Why the requested minute could not be read. */
  readonly problem: ReplayProblem | undefined;
}

/** The beginning of the displayed minute. */
export function minuteShown({ nowMs }: Pick<DeskState, 'nowMs'>): number {
  return nowMs - MINUTE_MS;
}

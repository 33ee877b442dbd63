import type { DeskState } from '../../model/desk-state.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { ReplayProblem } from './read-recorded.ts';

/** How many times as fast as it was. */
export const REPLAY_SPEEDS = [1, 10, 60] as const;

export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

/** A desk that goes through recorded minutes, each named by when it began, and shown as the desk was at its end. */
export interface Replay {
  /** The minute that is asked for. */
  readonly wantedMs: number;
  /** What is drawn, until that has come too; undefined: none has come yet, and what is now is drawn. */
  readonly shown: DeskState | undefined;
  /** undefined: it stands still. */
  readonly speed: ReplaySpeed | undefined;
  /** Why the minute that is asked for is not there. */
  readonly problem: ReplayProblem | undefined;
}

/** When the minute began that is shown. */
export function minuteShown({ nowMs }: Pick<DeskState, 'nowMs'>): number {
  return nowMs - MINUTE_MS;
}

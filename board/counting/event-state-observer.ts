import type { EventStateSlice, Freshness } from '../../domain/event-state.ts';

/** Receives every new state, in commit order: the fan-out of the same process, or the relay of a fleet. */
export interface EventStateObserver {
  /** The slice replaces the one of its kind and event. */
  slice(slice: EventStateSlice): void;
  freshness(freshness: Freshness): void;
}

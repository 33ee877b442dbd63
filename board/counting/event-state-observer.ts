import type { EventStateSlice, Freshness } from '../../domain/event-state.ts';

/**
 * Who is told of every new state, in commit order: the fan-out of the same process, or whoever carries states to others.
 */
export interface EventStateObserver {
  /** This slice replaces the one of its kind and event. */
  slice(slice: EventStateSlice): void;
  freshness(freshness: Freshness): void;
}

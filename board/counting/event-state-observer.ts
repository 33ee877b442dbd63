import type { EventStatePart, Freshness } from '../../domain/event-state.ts';

/**
 * Who is told of every new state, in commit order: the fan-out of the same process, or whoever carries states to others.
 */
export interface EventStateObserver {
  /** This part replaces the one of its kind and event. */
  part(part: EventStatePart): void;
  freshness(freshness: Freshness): void;
}

import type { DeskState } from '../model/desk-state.ts';
import type { DeskView } from './desk-view.ts';

/** When stale data was last verified, by the flow's clock; null for live data. */
export function staleSinceMs({ state, status }: Pick<DeskView, 'state' | 'status'>): number | null {
  return status.kind === 'live' && state.source.live ? null : trueAtMs(state);
}

function trueAtMs({ nowMs, source }: DeskState): number {
  return source.live ? nowMs : nowMs - source.ageMs;
}

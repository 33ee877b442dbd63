import type { DeskState } from '../../model/desk-state.ts';

/** For so long an entry shows that people enter. */
const ENTERED_MS = 30_000;

/** Whether people enter a sector since it stopped, of which the rules, after a break, cannot say so yet. */
export function hasResumed(
  { state, lastEntryAtMs }: DeskState['rows'][number],
  { silentSinceMs, nowMs }: { readonly silentSinceMs: number; readonly nowMs: number },
): boolean {
  if (state !== 'unknown' || lastEntryAtMs === null) return false;
  return lastEntryAtMs > silentSinceMs && nowMs - lastEntryAtMs < ENTERED_MS;
}

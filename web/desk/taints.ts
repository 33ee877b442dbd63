import { makesIncomplete } from '../../domain/flow/log-state.ts';
import type { MarkInForce } from '../../domain/flow/log-state.ts';
import { sectorName } from './alarms/sector-name.ts';
import type { DeskView } from './desk-view.ts';
import { formatTime } from './event-time.ts';

/**
 * Whose count is incomplete since when: "SUL DORIL desde 18:33, NORTE desde 18:40". Null where all are whole. Of a sector:
 * by its own marks, and those on the whole ground.
 */
export function describeIncomplete(view: DeskView, sector: string | null = null): string | null {
  return describe(
    view,
    (mark) =>
      makesIncomplete(mark.mark) && (sector === null || mark.sector === null || mark.sector === sector),
  );
}

/** Where the entry is suspended since when, in the same words. */
export function describeSuspended(view: DeskView): string | null {
  return describe(view, ({ mark }) => mark === 'suspended');
}

function describe(view: DeskView, isMeant: (mark: MarkInForce) => boolean): string | null {
  const { marks, timeZone } = view.state;
  const sinceMs = new Map<string | null, number>();
  for (const mark of marks.filter(isMeant)) {
    sinceMs.set(mark.sector, Math.min(sinceMs.get(mark.sector) ?? Infinity, mark.sinceMs));
  }
  if (sinceMs.size === 0) return null;
  return [...sinceMs]
    .map(([sector, ms]) => `${sectorName(view.sectors, sector)} desde ${formatTime(ms, timeZone)}`)
    .join(', ');
}

import type { Alarm } from '../../model/alarms/alarm.ts';
import type { SectorState } from '../../model/alarms/evaluation.ts';
import type { SeveralStopped } from '../../model/alarms/several-stopped.ts';
import { listNames, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { isMarked } from '../is-marked.ts';
import { hasResumed } from './has-resumed.ts';

type ContactView = Pick<DeskView, 'state' | 'sectors'>;

/** The states of sectors where people enter. */
const ENTERED = new Set<SectorState>(['flowing', 'dropped']);
/** The most names on a card. */
export const MAX_NAMES = 5;
/** The most names on a line. */
export const FEW_NAMES = 2;

/**
 * "Chame: canal 4 · ramal 212", as the venue's file says. Null where it says nothing, or nobody needs to be called. `most`: the
 * largest number of contacts to name.
 */
export function contactWords(alarm: Alarm, view: ContactView, most = MAX_NAMES): string | null {
  if (alarm.returnedAtMs !== null) return null;
  if (alarm.rule !== 'several-stopped') {
    const contact = contactOf(alarm.sector, view);
    return contact === undefined ? null : `Chame: ${contact}`;
  }
  const sectors = stoppedSectors(alarm, view).map(({ sector }) => sector);
  return contactsOf(sectors, view, most);
}

/** "Chame: NORTE e OESTE: canal 4; SUL: canal 5", each on a line; null where the venue's file says nothing. */
export function contactsOf(
  sectors: readonly (string | null)[],
  view: ContactView,
  most: number,
): string | null {
  const named = new Map<string, string[]>();
  for (const sector of sectors) {
    const contact = contactOf(sector, view);
    if (contact !== undefined)
      named.set(contact, [...(named.get(contact) ?? []), sectorName(view.sectors, sector)]);
  }
  const all = [...named].map(([contact, names]) => `${listNames(names, MAX_NAMES)}: ${contact}`);
  const left = all.length > most ? [`e mais ${all.length - most}`] : [];
  return all.length === 0 ? null : `Chame: ${[...all.slice(0, most), ...left].join(';\n')}`;
}

export function contactOf(sector: string | null, { state }: ContactView): string | undefined {
  return state.rows.find(({ code }) => code === sector)?.contact;
}

/**
 * The sectors of an active alarm to which somebody is to be sent: without those that were marked since, and those where people
 * enter again.
 */
export function stoppedSectors(
  { figures, returnedAtMs }: SeveralStopped,
  { state }: ContactView,
): SeveralStopped['figures']['sectors'] {
  if (returnedAtMs !== null) return figures.sectors;
  return figures.sectors.filter(({ sector, silentSinceMs }) => {
    const row = state.rows.find(({ code }) => code === sector);
    const isFlowing =
      row && (ENTERED.has(row.state) || hasResumed(row, { silentSinceMs, nowMs: state.nowMs }));
    return !isMarked(state, sector) && !isFlowing;
  });
}

import type { Outlook } from '../../model/forecast/forecast.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { stillToEnter } from '../../model/series/still-to-enter.ts';
import type { DeskView } from '../desk-view.ts';

/** Names the best rate of today, with the limit that the venue's file sets to it. */
export function bestRate(view: DeskView): string {
  return `no melhor ritmo de hoje${hasLimit(view) ? ', até o máximo dos portões' : ''}`;
}

/** What the ground reaches at that rate, with no sector above what its gates let in by the venue's file; null without a rate. */
export function atBest(view: DeskView, outlook: Outlook): Pick<Outlook, 'admittedAtBest' | 'allInAtMs'> {
  const { admittedAtBest, allInAtMs } = outlook;
  if (admittedAtBest === null || !hasLimit(view)) return outlook;
  const { most, lastMs } = throughGates(view, outlook);
  return {
    admittedAtBest: Math.min(admittedAtBest, most),
    allInAtMs: allInAtMs === null ? null : Math.max(allInAtMs, lastMs),
  };
}

/**
 * What the gates let in by the venue's file: how many are in at kick-off at most, and when all expected ones are in at the
 * earliest. The gates of one sector let in nobody of another.
 */
export function throughGates(
  { state: { forecast, rows } }: DeskView,
  { admitted, kickOffAtMs }: Outlook,
): { readonly most: number; readonly lastMs: number } {
  if (forecast.kind !== 'made') return { most: Infinity, lastMs: -Infinity };
  const { atMs, without, sectors } = forecast;
  let most = admitted;
  let lastMs = -Infinity;
  for (const [place, row] of rows.entries()) {
    const { code, entriesPerHour = Infinity } = row;
    if (without?.includes(code)) continue;
    const own = sectors[place];
    const perMs = entriesPerHour / (60 * MINUTE_MS);
    const left = own ? own.valid - own.admitted : stillToEnter(row);
    most += Math.max(0, own ? Math.min(left, perMs * (kickOffAtMs - atMs)) : left);
    if (own) lastMs = Math.max(lastMs, atMs + (own.expected.count - own.admitted) / perMs);
  }
  return { most, lastMs };
}

function hasLimit({ state }: DeskView): boolean {
  return state.rows.some(({ entriesPerHour }) => entriesPerHour !== undefined);
}

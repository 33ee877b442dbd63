import type { Outlook } from '../../model/forecast/forecast.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { DeskView } from '../desk-view.ts';

/** Names the best rate of today, with the limit that the venue's file sets to it. */
export function bestRate(view: DeskView): string {
  return `no melhor ritmo de hoje${hasLimit(view) ? ', até o máximo dos portões' : ''}`;
}

/** What the ground reaches at that rate, with no sector above what its gates let in by the venue's file; null without a rate. */
export function atBest(view: DeskView, outlook: Outlook): Pick<Outlook, 'admittedAtBest' | 'allInAtMs'> {
  const { forecast, rows } = view.state;
  const { admittedAtBest, allInAtMs, kickOffAtMs } = outlook;
  if (forecast.kind !== 'made' || admittedAtBest === null || !hasLimit(view)) return outlook;
  const { atMs, without, sectors } = forecast;
  let most = 0;
  let lastMs = allInAtMs;
  for (const [place, { code, valid, entriesPerHour = Infinity }] of rows.entries()) {
    if (without?.includes(code)) continue;
    const own = sectors[place];
    const perMs = entriesPerHour / (60 * MINUTE_MS);
    most += own ? Math.min(own.valid, own.admitted + perMs * (kickOffAtMs - atMs)) : valid;
    if (own && lastMs !== null) lastMs = Math.max(lastMs, atMs + (own.expected.count - own.admitted) / perMs);
  }
  return { admittedAtBest: Math.min(admittedAtBest, most), allInAtMs: lastMs };
}

function hasLimit({ state }: DeskView): boolean {
  return state.rows.some(({ entriesPerHour }) => entriesPerHour !== undefined);
}

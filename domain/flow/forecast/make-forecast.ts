import type { SeriesReading } from '../series-reading.ts';
import { totalsAt } from '../totals-at.ts';
import type { LogState } from '../log-state.ts';
import { MINUTE_MS } from '../minute.ts';
import { estimateUncounted } from '../uncounted.ts';
import { crowdKickOffMs } from './crowd-kick-off.ts';
import type { EarlierMatches } from './earlier-matches.ts';
import type { Forecast, NoForecast, Outlook } from './forecast.ts';
import { POSTPONED_MIN } from './limits.ts';
import { outlookOf } from './outlook.ts';
import type { PlaceHistory } from './place-history.ts';
import { readPlaceNow } from './place-now.ts';

/** What a forecast is made of. */
export interface ForecastSources {
  readonly nowMs: number;
  /** Whether the counts can be trusted as of now. */
  readonly isLive: boolean;
  readonly series: SeriesReading;
  /** Of the sectors in the order of the series, '' for the others. */
  readonly codes: readonly string[];
  readonly log: Pick<
    LogState,
    'kickOffAtMs' | 'plannedKickOffAtMs' | 'marks' | 'uncounted' | 'entryClosedAtMs' | 'evacuatedAtMs'
  >;
  /** By the same codes. */
  readonly earlier: EarlierMatches;
}

/** Of now: what today's counts and rates, and earlier matches, say of kick-off. */
export function makeForecast(sources: ForecastSources): Forecast {
  const { nowMs, series, codes, log, earlier } = sources;
  const { kickOffAtMs } = log;
  const crowdMs = crowdKickOffMs(log);
  const why = findObstacle(sources);
  if (why || kickOffAtMs === null || crowdMs === null) return { kind: 'none', why: why ?? 'no-kick-off' };
  const totals = totalsAt(series, nowMs);
  const look = (history: PlaceHistory, kickOffsMs: readonly number[], sector?: number): Outlook[] | null => {
    const uncountedBy = estimateUncounted(log.uncounted, sector === undefined ? null : (codes[sector] ?? ''));
    if (!uncountedBy) return null;
    const now = readPlaceNow({ series, totals, history, sector, uncountedBy }, { nowMs, crowdMs });
    const isSuspended = log.marks.some(
      (mark) => mark.mark === 'suspended' && isAt(mark.sector, sector, codes),
    );
    return kickOffsMs.map((ms) => outlookOf(now, ms, isSuspended));
  };
  const postponed = POSTPONED_MIN.map((postponedMin) => kickOffAtMs + postponedMin * MINUTE_MS);
  return {
    kind: 'made',
    atMs: nowMs,
    total: look(earlier.total, postponed),
    sectors: codes.map((_, sector) => {
      const history = earlier.sectors[sector];
      if (!history) throw new RangeError(`there is no history of the sector ${sector}`);
      return look(history, [kickOffAtMs], sector)?.[0] ?? null;
    }),
  };
}

function findObstacle({ nowMs, isLive, log }: ForecastSources): NoForecast | undefined {
  if (log.evacuatedAtMs !== null) return 'evacuated';
  if (log.entryClosedAtMs !== null) return 'entry-closed';
  if (log.kickOffAtMs === null) return 'no-kick-off';
  if (nowMs >= log.kickOffAtMs) return 'over';
  return isLive ? undefined : 'no-data';
}

/** Whether a mark of that sector, null for all of them, touches the place; the whole ground is touched by each. */
function isAt(marked: string | null, sector: number | undefined, codes: readonly string[]): boolean {
  return marked === null || sector === undefined || marked === codes[sector];
}

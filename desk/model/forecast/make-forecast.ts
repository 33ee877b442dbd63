import type { SectorTotals, SeriesReading } from '../series/series-reading.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import { totalsAt } from '../series/totals-at.ts';
import type { LogState } from '../log/log-state.ts';
import { MINUTE_MS, minuteOf } from '../series/minute.ts';
import { estimateUncounted } from '../log/uncounted.ts';
import { crowdKickOffMs } from './crowd-kick-off.ts';
import type { EarlierMatches } from './earlier-matches.ts';
import { comingUntilMin } from './coming-until.ts';
import type { Coming, Forecast, NoForecast } from './forecast.ts';
import { isSuspended, readGroundNow } from './ground-now.ts';
import { POSTPONED_MIN } from './limits.ts';
import { outlookOf, outlooksOf, readUsual } from './outlook.ts';
import { type RowNow, readRowNow } from './row-now.ts';

export interface ForecastSources {
  readonly nowMs: number;
  /** Whether the counts are live. */
  readonly isLive: boolean;
  readonly series: SeriesReading;
  /** The codes of the series' sectors, '' for the others. */
  readonly codes: readonly string[];
  readonly log: Pick<
    LogState,
    'kickOffAtMs' | 'plannedKickOffAtMs' | 'marks' | 'uncounted' | 'entryClosedAtMs' | 'evacuatedAtMs'
  >;
  /** Earlier matches for the same codes. */
  readonly earlier: EarlierMatches;
}

/** Forecasts kick-off from today's counts and rates, and from earlier matches. */
export function makeForecast(sources: ForecastSources): Forecast {
  const { nowMs, series, codes, log, earlier } = sources;
  const { kickOffAtMs } = log;
  const crowdMs = crowdKickOffMs(log);
  const why = findObstacle(sources);
  if (kickOffAtMs === null || crowdMs === null) return { kind: 'none', why: why ?? 'no-kick-off' };
  const moment = { nowMs, crowdMs };
  const totals = totalsAt(series, nowMs);
  if (why === 'over') return { kind: 'none', why, ...comingAfter(sources, totals, moment) };
  if (why) return { kind: 'none', why };

  const ground = readGroundNow(sources, totals, moment);
  const without = ground?.without ?? [];
  const usual = ground && readUsual(ground.now);
  const asked = postponed(kickOffAtMs);
  // Those of the kick-off that people came for as well: to put it off changes no range.
  const inOrder = [...new Set([...postponed(crowdMs), ...asked])].filter((atMs) => atMs > nowMs);
  const total = ground
    ? outlooksOf(
        ground.now,
        inOrder.toSorted((a, b) => a - b),
      )
        .filter((outlook) => asked.includes(outlook.kickOffAtMs))
        .map((outlook) => Object.assign({}, outlook, usual))
    : null;
  return {
    kind: 'made',
    atMs: nowMs,
    total,
    ...(without.length > 0 && { without }),
    sectors: codes.map((code, sector) => {
      const history = earlier.sectors[sector];
      if (!history) throw new RangeError(`there is no history of the sector ${sector}`);
      const uncountedBy = estimateUncounted(log.uncounted, code);
      if (!uncountedBy) return null;
      const now = readRowNow({ series, totals, history, sector, uncountedBy }, moment);
      return outlookOf(now, kickOffAtMs, isSuspended(log.marks, code));
    }),
  };
}

function postponed(kickOffAtMs: number): readonly number[] {
  return POSTPONED_MIN.map((min) => kickOffAtMs + min * MINUTE_MS);
}

/** Forecasts after kick-off when the rest will be in. */
function comingAfter(
  sources: ForecastSources,
  totals: readonly SectorTotals[],
  moment: Pick<RowNow, 'nowMs' | 'crowdMs'>,
): { readonly coming?: Coming } {
  const ground = sources.isLive ? readGroundNow(sources, totals, moment) : null;
  if (!ground) return {};
  const { now, without } = ground;
  const { nowMs, crowdMs, valid, meanOfFive, history } = now;
  const [atMin, ratedMin] = [nowMs, minuteOf(nowMs)].map((ms) => (ms - crowdMs) / MINUTE_MS) as [
    number,
    number,
  ];
  const usual = history.usualAfter(ratedMin);
  if (!usual || meanOfFive === null || valid === 0) return {};
  const untilMin = comingUntilMin(usual, {
    atMin,
    ratedMin,
    admittedShare: 1 - stillToEnter(now) / valid,
    sharePerMinute: meanOfFive / valid,
  });
  if (untilMin === null) return {};
  const untilMs = crowdMs + untilMin * MINUTE_MS;
  return { coming: { untilMs, ...(without.length > 0 && { without }) } };
}

function findObstacle({ nowMs, isLive, log }: ForecastSources): NoForecast | undefined {
  if (log.evacuatedAtMs !== null) return 'evacuated';
  if (log.entryClosedAtMs !== null) return 'entry-closed';
  if (log.kickOffAtMs === null) return 'no-kick-off';
  if (nowMs >= log.kickOffAtMs) return 'over';
  return isLive ? undefined : 'no-data';
}

import type { LogRow } from '../log/flow-log.ts';
import type { FlowSeries } from '../series/flow-series.ts';
import type { LogState } from '../log/log-state.ts';
import { admittedAtMoment, momentMs } from '../series/match-moment.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { JUDGED_LATE_MS } from './limits.ts';
import type { StoredForecast, StoredOutcome, Unjudged } from './stored-forecast.ts';

export interface OutcomeSources {
  /** The forecasts and outcomes of the event. */
  readonly log: readonly LogRow[];
  readonly state: Pick<LogState, 'uncounted' | 'entryClosedAtMs' | 'evacuatedAtMs'>;
  readonly series: FlowSeries;
}

/** Returns the outcomes of forecasts that are due and not judged yet. A repeated outcome has the same id. */
export function outcomesDue({
  log,
  state,
  series,
}: OutcomeSources): readonly { readonly id: string; readonly data: StoredOutcome }[] {
  const { entryClosedAtMs, evacuatedAtMs, uncounted } = state;
  const breaks: readonly Break[] = [
    ...uncounted.map(({ sinceMs }) => [sinceMs, 'incomplete'] as const),
    [evacuatedAtMs ?? Infinity, 'evacuated'],
    [entryClosedAtMs ?? Infinity, 'entry-closed'],
  ];
  const judged = new Set(log.flatMap((row) => (row.kind === 'outcome' ? [row.data.forecast] : [])));
  return log.flatMap((row) => {
    if (row.kind !== 'forecast' || judged.has(row.id)) return [];
    const found = admittedAtKickOff(row.data, breaks, series);
    if (found === undefined) return [];
    const data =
      typeof found === 'string'
        ? { forecast: row.id, admitted: null, isHeld: null, why: found }
        : { forecast: row.id, admitted: found, isHeld: isWithin(found, row.data) };
    return [{ id: `outcome:${row.id}`, data }];
  });
}

/** From that moment on, for that reason, counts are not comparable. */
type Break = readonly [fromMs: number, why: Unjudged];

/** Returns undefined while the count may still be confirmed, and why if it never will. */
function admittedAtKickOff(
  { kickOffAtMs }: StoredForecast,
  breaks: readonly Break[],
  series: FlowSeries,
): number | Unjudged | undefined {
  const lastBoundaryMs = series.lastBoundaryMs ?? -Infinity;
  const atMs = momentMs(kickOffAtMs);
  if (lastBoundaryMs < kickOffAtMs) return undefined;
  const broken = breaks.find(([fromMs]) => fromMs < atMs);
  if (broken) return broken[1];
  const admitted = admittedAtMoment(series.minutes(atMs - MINUTE_MS, atMs + MINUTE_MS), kickOffAtMs);
  return admitted ?? (lastBoundaryMs < kickOffAtMs + JUDGED_LATE_MS ? undefined : 'unseen');
}

function isWithin(admitted: number, { range, without }: StoredForecast): boolean | null {
  return range === null || without ? null : range.low <= admitted && admitted <= range.high;
}

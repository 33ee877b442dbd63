import type { LogRow } from '../log/flow-log.ts';
import type { FlowSeries } from '../series/flow-series.ts';
import type { LogState } from '../log/log-state.ts';
import { admittedAtMoment, momentMs } from '../series/match-moment.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { JUDGED_LATE_MS } from './limits.ts';
import type { StoredForecast, StoredOutcome } from './stored-forecast.ts';

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
  const brokenMs = Math.min(
    state.entryClosedAtMs ?? Infinity,
    state.evacuatedAtMs ?? Infinity,
    ...state.uncounted.map(({ sinceMs }) => sinceMs),
  );
  const judged = new Set(log.flatMap((row) => (row.kind === 'outcome' ? [row.data.forecast] : [])));
  return log.flatMap((row) => {
    if (row.kind !== 'forecast' || judged.has(row.id)) return [];
    const admitted = admittedAtKickOff(row.data, brokenMs, series);
    if (admitted === undefined) return [];
    const data = { forecast: row.id, admitted, isHeld: isWithin(admitted, row.data) };
    return [{ id: `outcome:${row.id}`, data }];
  });
}

/** Returns undefined while the count may still be confirmed, null if it never will. From `brokenMs` on counts are not comparable. */
function admittedAtKickOff(
  { kickOffAtMs }: StoredForecast,
  brokenMs: number,
  series: FlowSeries,
): number | null | undefined {
  const lastBoundaryMs = series.lastBoundaryMs ?? -Infinity;
  const atMs = momentMs(kickOffAtMs);
  if (lastBoundaryMs < kickOffAtMs) return undefined;
  if (brokenMs < atMs) return null;
  const admitted = admittedAtMoment(series.minutes(atMs - MINUTE_MS, atMs + MINUTE_MS), kickOffAtMs);
  return admitted ?? (lastBoundaryMs < kickOffAtMs + JUDGED_LATE_MS ? undefined : null);
}

function isWithin(admitted: number | null, { range, without }: StoredForecast): boolean | null {
  return admitted === null || range === null || without
    ? null
    : range.low <= admitted && admitted <= range.high;
}

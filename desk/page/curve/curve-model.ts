import { type CurvePoint, readCurve } from '../../model/series/curve.ts';
import type { DeskFigures } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';
import type { UsualCurve } from '../../model/forecast/usual-curve.ts';
import { crowdKickOffMs } from '../../model/forecast/crowd-kick-off.ts';
import type { Gap } from '../../model/series/gaps.ts';
import { type LogState, readLogState } from '../../model/log/log-state.ts';
import { type UncountedSpan, uncountedMarks, uncountedSpans } from '../../model/log/uncounted.ts';
import { bucketOf, flowOf, type Minute, MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { staleSinceMs } from '../stale-since.ts';
import { curveWindow, type TimeWindow } from './curve-window.ts';
import { type LogMarker, logMarkers } from './log-marker.ts';
import { type RangeAhead, rangeAhead } from './range-ahead.ts';
import { CLOSING_MS, unknownSpans } from './unknown-spans.ts';

/** The data of the curve, in people and milliseconds since 1970, independent of a screen. */
export interface CurveModel {
  readonly window: TimeWindow;
  readonly timeZone: string;
  /** Runs of adjacent minutes; each is one line. */
  readonly runs: readonly (readonly Point[])[];
  readonly gaps: readonly Gap[];
  readonly columns: readonly Column[];
  readonly usual: { readonly points: readonly Point[]; readonly matches: number } | null;
  readonly range: RangeAhead | null;
  readonly needed: NeededAhead | null;
  readonly ceilings: readonly Ceiling[];
  readonly moments: readonly Moment[];
  readonly markers: readonly LogMarker[];
}

export type Point = Pick<CurvePoint, 'atMs' | 'admitted'>;

/** A known minute. Its rate, like all rates, leaves late batches (`lots`) out. */
export interface Column {
  readonly minuteMs: number;
  readonly perMinute: number;
  readonly lots: number;
  readonly admitted: number;
  /** People had passed uncounted by its end. */
  readonly isAtLeast: boolean;
  /** People passed uncounted in it, and no more readings were taken back than made. */
  readonly isRateAtLeast: boolean;
}

interface NeededAhead {
  readonly fromMs: number;
  readonly toMs: number;
  readonly perMinute: number;
}

interface Ceiling {
  readonly kind: 'valid' | 'capacity';
  readonly count: number;
  readonly text: string;
  /** The text for little room. */
  readonly shortText: string;
}

interface Moment {
  readonly kind: 'gates' | 'kick-off' | 'planned';
  readonly atMs: number;
  readonly text: string;
}

/** `sector`: a row's code, '' for the others, null for the whole ground. `usual` belongs to the same sector. */
export function curveModel(view: DeskView, sector: string | null, usual: UsualCurve | null): CurveModel {
  const { state, minutes } = view;
  const rowIndex = sector === null ? undefined : state.rows.findIndex(({ code }) => code === sector);
  const figures = figuresOf(view, sector);
  const logState = readLogState(view.log);
  const known = readCurve(minutes, rowIndex);
  const markers = logMarkers(view, sector);
  const window = curveWindow(state, logState.plannedKickOffAtMs, known, markers);
  const points = withNow(view, figures.admitted, known);
  const inWindow = points.filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs);
  const outlook = outlookOf(view, rowIndex);
  const crowdMs = crowdKickOffMs(stateNow(view, logState));
  return {
    window,
    timeZone: state.timeZone,
    runs: runsOf(inWindow),
    gaps: unknownSpans(view, known, window)
      .map((gap) => ({ fromMs: Math.max(gap.fromMs, window.fromMs), toMs: Math.min(gap.toMs, window.toMs) }))
      .filter((gap) => gap.fromMs < gap.toMs),
    columns: columnsOf(minutes, {
      rowIndex,
      window,
      uncounted: uncountedSpans(uncountedMarks(state.marks, sector)),
    }),
    usual: usualPoints(usual, figures.valid, crowdMs, window),
    range: rangeOf(view, outlook, { usual, crowdMs, window }),
    needed: neededOf(view, outlook, window),
    ceilings: ceilingsOf(figures),
    moments: momentsOf(view, logState).filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs),
    markers: markers.filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs),
  };
}

export function figuresOf({ state }: DeskView, sector: string | null): DeskFigures {
  return state.rows.find(({ code }) => code === sector) ?? state.total;
}

/** The outlook for the scheduled kick-off; null without a forecast, for stale data, or if the ground's forecast leaves out sectors. */
export function outlookOf(view: DeskView, rowIndex: number | undefined): Outlook | null {
  const { forecast } = view.state;
  if (forecast.kind === 'none' || staleSinceMs(view) !== null) return null;
  if (rowIndex !== undefined) return forecast.sectors[rowIndex] ?? null;
  return forecast.without ? null : (forecast.total?.[0] ?? null);
}

/** The state's kick-off counts, as the log of a replayed minute may be longer than it was then. */
function stateNow({ state }: DeskView, { plannedKickOffAtMs }: LogState) {
  return { kickOffAtMs: state.times.kickOffAtMs, plannedKickOffAtMs };
}

/** Adds the current count, as the running minute is not known yet; what is recorded has whole minutes alone. */
function withNow(view: DeskView, admitted: number, known: readonly CurvePoint[]): readonly CurvePoint[] {
  const last = known.at(-1);
  const atMs = bucketOf(view.state.nowMs);
  if (view.replay !== null || staleSinceMs(view) !== null || (last && atMs <= last.atMs)) return known;
  return [...known, { atMs, admitted, isAfterGap: last !== undefined && atMs - last.atMs > CLOSING_MS }];
}

function runsOf(points: readonly CurvePoint[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  for (const { atMs, admitted, isAfterGap } of points) {
    const run = isAfterGap ? undefined : runs.at(-1);
    if (run) run.push({ atMs, admitted });
    else runs.push([{ atMs, admitted }]);
  }
  return runs;
}

function columnsOf(
  minutes: readonly Minute[],
  {
    rowIndex,
    window,
    uncounted,
  }: {
    readonly rowIndex: number | undefined;
    readonly window: TimeWindow;
    readonly uncounted: readonly UncountedSpan[];
  },
): readonly Column[] {
  return minutes
    .filter(({ minuteMs }) => minuteMs >= window.fromMs && minuteMs + MINUTE_MS <= window.toMs)
    .map(({ minuteMs, sectors }) => {
      const begun = uncounted.filter(({ fromMs }) => fromMs < minuteMs + MINUTE_MS);
      const rows = rowIndex === undefined ? sectors : sectors.slice(rowIndex, rowIndex + 1);
      const sum = (read: (row: (typeof rows)[number]) => number): number =>
        rows.reduce((total, row) => total + read(row), 0);
      const lots = sum((row) => row.lots);
      const perMinute = sum(flowOf);
      return {
        minuteMs,
        perMinute,
        lots,
        admitted: sum((row) => row.admitted),
        isAtLeast: begun.length > 0,
        isRateAtLeast: perMinute >= 0 && begun.some(({ toMs }) => toMs > minuteMs),
      };
    });
}

function usualPoints(
  usual: UsualCurve | null,
  valid: number,
  crowdMs: number | null,
  { fromMs, toMs }: TimeWindow,
): CurveModel['usual'] {
  if (!usual || crowdMs === null) return null;
  const points = usual.shares
    .map((share, index) => ({
      atMs: crowdMs + (usual.fromMin + index) * MINUTE_MS,
      admitted: share * valid,
    }))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return points.length < 2 ? null : { points, matches: usual.matches };
}

/** The usual curve gives the range its shape, so there is none without it. */
function rangeOf(
  { state: { forecast } }: DeskView,
  outlook: Outlook | null,
  at: {
    readonly usual: UsualCurve | null;
    readonly crowdMs: number | null;
    readonly window: TimeWindow;
  },
): RangeAhead | null {
  const { usual, crowdMs, window } = at;
  if (!outlook || !usual || crowdMs === null || forecast.kind === 'none') return null;
  return rangeAhead({ outlook, usual, crowdMs, fromMs: Math.max(forecast.atMs, window.fromMs) });
}

function neededOf(
  { state: { forecast } }: DeskView,
  outlook: Outlook | null,
  window: TimeWindow,
): NeededAhead | null {
  if (!outlook || forecast.kind === 'none' || outlook.perMinuteNeeded <= 0) return null;
  // Nobody is to come through a suspended entry.
  if ('why' in outlook.range && outlook.range.why === 'suspended') return null;
  const fromMs = Math.max(forecast.atMs, window.fromMs);
  return { fromMs, toMs: outlook.kickOffAtMs, perMinute: outlook.perMinuteNeeded };
}

function ceilingsOf({ valid, capacity }: DeskFigures): readonly Ceiling[] {
  const named = (
    kind: Ceiling['kind'],
    [name, short]: readonly [string, string],
    count: number,
  ): Ceiling => ({
    kind,
    count,
    text: `${name} ${formatCount(count)}`,
    shortText: `${short} ${formatCount(count)}`,
  });
  return [
    ...(valid > 0 ? [named('valid', ['ingressos válidos', 'válidos'], valid)] : []),
    ...(capacity === null ? [] : [named('capacity', ['lotação permitida', 'lotação'], capacity)]),
  ];
}

/** A moved kick-off stands beside the planned one. */
function momentsOf(
  { state: { times, timeZone } }: DeskView,
  { plannedKickOffAtMs }: LogState,
): readonly Moment[] {
  const { gatesOpenAtMs, kickOffAtMs } = times;
  const named = (kind: Moment['kind'], name: string, atMs: number | null): readonly Moment[] =>
    atMs === null ? [] : [{ kind, atMs, text: `${name} ${formatTime(atMs, timeZone)}` }];
  const isMoved = kickOffAtMs !== null && plannedKickOffAtMs !== null && plannedKickOffAtMs !== kickOffAtMs;
  return [
    ...named('gates', 'portões', gatesOpenAtMs),
    ...named('planned', 'previsto', isMoved ? plannedKickOffAtMs : null),
    ...named('kick-off', 'início', kickOffAtMs),
  ];
}

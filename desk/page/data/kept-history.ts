import type { DeskState } from '../../model/desk-state.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { KEPT_MS, type Minute, MINUTE_MS, minuteOf } from '../../model/series/minute.ts';

const HOUR_MS = 60 * MINUTE_MS;
/** The longest span of one read. */
const MAX_AT_ONCE_MS = 6 * HOUR_MS;
/** The history begins this long before the gates open, or before now if that is unknown. */
const BEFORE_GATES_MS = HOUR_MS;
const WITHOUT_GATES_MS = 12 * HOUR_MS;
/** The next server may replace the minutes of the last one. */
const REPLACED_MS = 15 * MINUTE_MS;

/** Minutes from `fromMs` on, before `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The minutes and the log of a page; `loaded` is the span that it has without a hole. Immutable.
 */
export interface KeptHistory {
  /** The codes of the rows whose minutes these are. */
  readonly codes: string;
  readonly minutes: readonly Minute[];
  readonly log: readonly LogRow[];
  readonly loaded: Span | undefined;
}

export const NO_HISTORY: KeptHistory = { codes: '', minutes: [], log: [], loaded: undefined };

/** Whether the minutes have begun to load, and the log has all rows of this state. */
export function hasLoaded({ loaded, log }: KeptHistory, state: DeskState): boolean {
  return (loaded !== undefined || state.lastMinuteMs === null) && log.length >= state.lastSeq;
}

/** Drops the minutes of another venue, and the log of another record. */
export function keepFitting(history: KeptHistory, state: DeskState): KeptHistory {
  const codes = JSON.stringify(state.rows.map(({ code }) => code));
  const fitting = codes === history.codes ? history : { ...NO_HISTORY, codes };
  return (fitting.log.at(-1)?.seq ?? 0) > state.lastSeq ? { ...fitting, log: [] } : fitting;
}

/** A new stream may come from another server, so its last minutes are read again. */
export function forgetNewest(history: KeptHistory): KeptHistory {
  const { loaded } = history;
  if (!loaded) return history;
  return { ...history, loaded: { ...loaded, toMs: Math.max(loaded.fromMs, loaded.toMs - REPLACED_MS) } };
}

/** The span to read next; `undefined` if no minute is missing. */
export function missingMinutes({ loaded }: KeptHistory, state: DeskState): Span | undefined {
  if (state.lastMinuteMs === null) return undefined;
  const endMs = state.lastMinuteMs + MINUTE_MS;
  const fromMs = Math.min(firstWantedMs(state), endMs);
  if (!loaded) return { fromMs, toMs: Math.min(fromMs + MAX_AT_ONCE_MS, endMs) };
  if (loaded.toMs < endMs) {
    return { fromMs: loaded.toMs, toMs: Math.min(loaded.toMs + MAX_AT_ONCE_MS, endMs) };
  }
  if (fromMs < loaded.fromMs) {
    return { fromMs: Math.max(fromMs, loaded.fromMs - MAX_AT_ONCE_MS), toMs: loaded.fromMs };
  }
  return undefined;
}

function firstWantedMs({ nowMs, times: { gatesOpenAtMs } }: DeskState): number {
  // `loaded` keeps its beginning as the hours pass.
  const wantedMs = gatesOpenAtMs === null ? nowMs - WITHOUT_GATES_MS : gatesOpenAtMs - BEFORE_GATES_MS;
  return minuteOf(Math.max(wantedMs, nowMs - KEPT_MS));
}

export function withSpan(history: KeptHistory, span: Span, known: readonly Minute[]): KeptHistory {
  const { loaded, minutes } = history;
  const before = minutes.filter(({ minuteMs }) => minuteMs < span.fromMs);
  const after = minutes.filter(({ minuteMs }) => minuteMs >= span.toMs);
  const joined = loaded
    ? { fromMs: Math.min(loaded.fromMs, span.fromMs), toMs: Math.max(loaded.toMs, span.toMs) }
    : span;
  return { ...history, minutes: [...before, ...known, ...after], loaded: joined };
}

/** Adds a new minute, unless one before it may be missing: both are then read together. */
export function withMinute(history: KeptHistory, minute: Minute): KeptHistory {
  const { loaded } = history;
  if (!loaded || minute.minuteMs > loaded.toMs || minute.minuteMs < loaded.fromMs) return history;
  return withSpan(history, { fromMs: minute.minuteMs, toMs: minute.minuteMs + MINUTE_MS }, [minute]);
}

/** Adds rows that follow. Rows of another log clear it, and the log is read from the first row. */
export function withLog(history: KeptHistory, rows: readonly LogRow[]): KeptHistory {
  const log = [...history.log];
  for (const row of rows) {
    if (row.seq === log.length + 1) log.push(row);
    else if (log[row.seq - 1]?.id !== row.id) return { ...history, log: [] };
  }
  return log.length === history.log.length ? history : { ...history, log };
}

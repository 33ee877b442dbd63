import type { DeskState } from '../../model/desk-state.ts';
import type { LogRow } from '../../model/log/flow-log.ts';
import { KEPT_MS, type Minute, MINUTE_MS, minuteOf } from '../../model/series/minute.ts';

const HOUR_MS = 60 * MINUTE_MS;
/** More than this is not told at once. */
const MOST_AT_ONCE_MS = 6 * HOUR_MS;
/** Before the gates open, and where nobody says when. */
const BEFORE_GATES_MS = HOUR_MS;
const WITHOUT_GATES_MS = 12 * HOUR_MS;
/** A minute that a server had told may be written anew by the next one. */
const TOLD_ANEW_MS = 15 * MINUTE_MS;

/** Minutes from `fromMs` on, before `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The minutes and the log that a page has, and what it lacks of those that the state names: `loaded` was asked for or told
 * without a hole. Immutable.
 */
export interface KeptHistory {
  /** Of the rows and the others, that the minutes are of. */
  readonly codes: string;
  readonly minutes: readonly Minute[];
  readonly log: readonly LogRow[];
  readonly loaded: Span | undefined;
}

export const NO_HISTORY: KeptHistory = { codes: '', minutes: [], log: [], loaded: undefined };

/** What no longer fits to what the server says now goes: another venue's minutes, the log of another record. */
export function keepFitting(history: KeptHistory, state: DeskState): KeptHistory {
  const codes = JSON.stringify(state.rows.map(({ code }) => code));
  const fitting = codes === history.codes ? history : { ...NO_HISTORY, codes };
  return (fitting.log.at(-1)?.seq ?? 0) > state.lastSeq ? { ...fitting, log: [] } : fitting;
}

/** Of a new stream, another server may tell: the last minutes are asked for again. */
export function forgetNewest(history: KeptHistory): KeptHistory {
  const { loaded } = history;
  if (!loaded) return history;
  return { ...history, loaded: { ...loaded, toMs: Math.max(loaded.fromMs, loaded.toMs - TOLD_ANEW_MS) } };
}

/** Which minutes are to be asked for next; `undefined`: none is missing. */
export function missingMinutes({ loaded }: KeptHistory, state: DeskState): Span | undefined {
  if (state.lastMinuteMs === null) return undefined;
  const endMs = state.lastMinuteMs + MINUTE_MS;
  const fromMs = Math.min(firstWantedMs(state), endMs);
  if (!loaded) return { fromMs, toMs: Math.min(fromMs + MOST_AT_ONCE_MS, endMs) };
  if (loaded.toMs < endMs) {
    return { fromMs: loaded.toMs, toMs: Math.min(loaded.toMs + MOST_AT_ONCE_MS, endMs) };
  }
  if (fromMs < loaded.fromMs) {
    return { fromMs: Math.max(fromMs, loaded.fromMs - MOST_AT_ONCE_MS), toMs: loaded.fromMs };
  }
  return undefined;
}

function firstWantedMs({ nowMs, times: { gatesOpenAtMs } }: DeskState): number {
  // As the hours pass, what was wanted at first is enough.
  const wantedMs = gatesOpenAtMs === null ? nowMs - WITHOUT_GATES_MS : gatesOpenAtMs - BEFORE_GATES_MS;
  return minuteOf(Math.max(wantedMs, nowMs - KEPT_MS));
}

/** With what was told of a span: all that is known of it. */
export function withSpan(history: KeptHistory, span: Span, told: readonly Minute[]): KeptHistory {
  const { loaded, minutes } = history;
  const before = minutes.filter(({ minuteMs }) => minuteMs < span.fromMs);
  const after = minutes.filter(({ minuteMs }) => minuteMs >= span.toMs);
  const joined = loaded
    ? { fromMs: Math.min(loaded.fromMs, span.fromMs), toMs: Math.max(loaded.toMs, span.toMs) }
    : span;
  return { ...history, minutes: [...before, ...told, ...after], loaded: joined };
}

/** With a minute as it became known: where one before it may be missing, it is asked for with that. */
export function withMinute(history: KeptHistory, minute: Minute): KeptHistory {
  const { loaded } = history;
  if (!loaded || minute.minuteMs > loaded.toMs || minute.minuteMs < loaded.fromMs) return history;
  return withSpan(history, { fromMs: minute.minuteMs, toMs: minute.minuteMs + MINUTE_MS }, [minute]);
}

/** With rows that follow. Those of another log begin anew: the next ones are asked for from the first. */
export function withLog(history: KeptHistory, rows: readonly LogRow[]): KeptHistory {
  const log = [...history.log];
  for (const row of rows) {
    if (row.seq === log.length + 1) log.push(row);
    else if (log[row.seq - 1]?.id !== row.id) return { ...history, log: [] };
  }
  return log.length === history.log.length ? history : { ...history, log };
}

import type { LogRow, Source } from '../flow-log.ts';

/** One minute of one sector, as the record has it. */
export interface RecordedCount {
  /** A row's code, '' for the others. */
  readonly sector: string;
  readonly minuteMs: number;
  readonly admitted: number;
  readonly net: number;
  readonly valid: number;
  readonly lots: number;
}

/** What the record holds of one other event. */
export interface RecordedMatch {
  readonly eventId: string;
  /** In any order; of one source, without imports that were withdrawn. */
  readonly counts: readonly RecordedCount[];
  readonly source: Source;
  readonly log: readonly LogRow[];
  /** Where the log does not say it: what event_details says. */
  readonly kickOffAtMs: number | null;
}

/** A match that forecasts are made from. */
export interface EarlierMatch {
  readonly eventId: string;
  readonly kickOffAtMs: number;
  /** Invented ones are no base for a real one. */
  readonly isSimulated: boolean;
  /** By code, '' for the others; not those that were incomplete. */
  readonly sectors: ReadonlyMap<string, MatchCurve>;
  /** Null where it was incomplete: then some of its sectors may still serve. */
  readonly total: MatchCurve | null;
  /** In their order. */
  readonly ranges: readonly JudgedRange[];
}

/** How many were in and valid, minute by minute to kick-off: the first value CURVE_FROM_MIN before it, one a minute. */
export interface MatchCurve {
  readonly admitted: Float64Array;
  readonly valid: Float64Array;
  /** The first and the last minute to kick-off that is known; all between them are, or bridged over a short gap. */
  readonly fromMin: number;
  readonly toMin: number;
  /** The best mean of five minutes without lots, per minute; null where no five are known. */
  readonly bestRate: number | null;
}

/** Why a match is no base for a forecast. */
export interface Unfit {
  readonly why: 'no-kick-off' | 'minutes-missing' | 'evacuated' | 'incomplete';
}

/** A range that was stored before kick-off, held against what came. */
export interface JudgedRange {
  readonly minutesBefore: number;
  readonly isHeld: boolean;
}

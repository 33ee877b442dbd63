import type { AlarmRule } from '../../../desk/model/alarms/alarm.ts';
import type { PlannedMatch } from './planned-match.ts';

/** A planned match, and what docs/flow.md says of it. */
export interface MatchHistory {
  readonly what: string;
  readonly match: PlannedMatch;
  /** What is said and done at the desk and with the server, in this order. */
  readonly deeds?: readonly Deed[];
  /** Whether nine earlier matches are imported before the server starts. */
  readonly hasEarlierMatches?: boolean;
  /** Permitted capacities. */
  readonly capacities?: Readonly<Record<string, number>>;
  /** Every entry about an alarm that the log must have, in its order; others it must not have. */
  readonly alarms: readonly ExpectedAlarm[];
  /** The late batches, by sector: at least and at most this many entries. */
  readonly lots?: readonly { readonly sector: string; readonly between: readonly [number, number] }[];
  /** The forecasts with a range that the log must have, by minutes before which kick-off, and no others. */
  readonly forecasts?: readonly ExpectedForecast[];
}

export type Deed = { readonly at: number } & (
  | { readonly says: Readonly<Record<string, unknown>> & { readonly kind: string } }
  | { readonly putsKickOffTo: number }
  | { readonly ends: 'mark' }
  | { readonly acknowledges: string }
  | { readonly restarts: true }
);

/** An instant that the delay is counted from. */
type Since =
  /** The last entry of a sector before this minute. */
  | { readonly lastBefore: number; readonly of: string }
  /** The first entry of a sector after this minute. */
  | { readonly firstAfter: number; readonly of: string }
  /** The entry of a sector with which `admitted` people were in. */
  | { readonly admitted: number; readonly of: string }
  /** When the deed with this index was recorded; or, if that is later, `orBackAfterS` seconds before the server was back. */
  | { readonly deed: number; readonly orBackAfterS?: number }
  | { readonly minute: number };

export interface ExpectedAlarm {
  readonly kind: 'alarm' | 'alarm-joined' | 'alarm-returned' | 'alarm-again';
  readonly rule: AlarmRule;
  /** None: the whole ground. */
  readonly sectors: readonly string[];
  readonly why?: string;
  readonly since: Since;
  /** After how many seconds: from … to; 'window': W of docs/flow.md, and the two boundaries that it takes to see it. */
  readonly after: readonly [number, number] | 'window';
  /** It may be missing. */
  readonly isOptional?: true;
}

export interface ExpectedForecast {
  readonly minutesBefore: number;
  readonly kickOff: number;
  /** 'judged': whether it held or not, as this crowd is like no earlier one. */
  readonly outcome: 'held' | 'judged' | 'not judged';
}

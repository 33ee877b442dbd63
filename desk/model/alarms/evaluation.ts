import type { SeriesReading } from '../series/series-reading.ts';
import type { LogState } from '../log/log-state.ts';
import type { AlarmNotice, AlarmSubject, ReturnReason } from './alarm.ts';

/** The inputs of the rules. Instants are milliseconds since 1970 by the flow's clock. */
export interface AlarmInputs {
  readonly series: SeriesReading;
  /** The codes of the venue's rows, then '' for the others: as many as the series has sectors. */
  readonly codes: readonly string[];
  /** The permitted capacity of each sector; null where none is set. */
  readonly capacities: readonly (number | null)[];
  readonly groundCapacity: number | null;
  readonly log: LogState;
  /** How long the counts have been stale, in real milliseconds; null while they are live. */
  readonly staleForMs: number | null;
  readonly nowMs: number;
  /** `nowMs` is so many milliseconds behind the flow's clock; absent: none. */
  readonly behindMs?: number;
}

/** Why the rules of the flow are not applied now. */
export type WaitReason =
  | 'no-kick-off'
  | 'before-gates-open'
  | 'not-live'
  | 'entry-closed'
  | 'evacuated'
  | 'after-end';

/** The result of a rule for one subject; subjects without a condition or an open alarm have none. */
export type AlarmFinding =
  | HoldingCondition
  /** `unknown` leaves an alarm as it is. */
  | (AlarmSubject & { readonly verdict: ReturnReason | 'unknown' });

export type HoldingCondition = AlarmSubject & AlarmNotice & { readonly verdict: 'holds' };

/**
 * The state of a sector on the desk. `quiet`: nobody entered for a while, within what chance explains; `unknown`: the rules
 * cannot decide, or do not apply.
 */
export type SectorState = 'flowing' | 'quiet' | 'stopped' | 'dropped' | 'unknown';

export interface AlarmEvaluation {
  /** The boundary of the evaluation; null before the first. */
  readonly atMs: number | null;
  /** Null if the rules of the flow are applied. */
  readonly waits: WaitReason | null;
  readonly findings: readonly AlarmFinding[];
  readonly sectors: readonly SectorState[];
}

import type { SeriesReading } from '../series/series-reading.ts';
import type { LogState } from '../log/log-state.ts';
import type { AlarmNotice, AlarmSubject, ReturnReason } from './alarm.ts';

/** All that the rules see. Instants are milliseconds since 1970 by the flow's clock. */
export interface AlarmInputs {
  readonly series: SeriesReading;
  /** Of the venue's rows, then '' of the others: as many as the series has sectors. */
  readonly codes: readonly string[];
  /** Permitted, by place; null: nobody says. */
  readonly capacities: readonly (number | null)[];
  readonly groundCapacity: number | null;
  readonly log: LogState;
  /** Since when the counts are not live, in milliseconds that do not rush with the clock; null: they are. */
  readonly staleForMs: number | null;
  readonly nowMs: number;
}

/** Why the rules of the flow are not applied now. */
export type WaitReason =
  | 'no-kick-off'
  | 'before-gates-open'
  | 'not-live'
  | 'entry-closed'
  | 'evacuated'
  | 'after-end';

/** What a rule says of what it is about. Of what neither holds nor is in force, nothing is told. */
export type AlarmFinding =
  | HoldingCondition
  /** `unknown`: an alarm that was raised stays as it is. */
  | (AlarmSubject & { readonly verdict: ReturnReason | 'unknown' });

export type HoldingCondition = AlarmSubject & AlarmNotice & { readonly verdict: 'holds' };

/**
 * In words on the desk. `quiet`: nobody entered for a while, and that may well be; `unknown`: the rules cannot tell, or do
 * not apply.
 */
export type SectorState = 'flowing' | 'quiet' | 'stopped' | 'dropped' | 'unknown';

export interface AlarmEvaluation {
  /** The boundary at which the flow was looked at; null before there is one. */
  readonly atMs: number | null;
  /** Null: the rules of the flow are applied. */
  readonly waits: WaitReason | null;
  readonly findings: readonly AlarmFinding[];
  /** By place. */
  readonly sectors: readonly SectorState[];
}

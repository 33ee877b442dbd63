import type { SourceState } from '../../domain/live-message.ts';
import type { Alarm, Suspension } from './alarms/alarm.ts';
import type { SectorState, WaitReason } from './alarms/evaluation.ts';
import type { ReadingCount } from './desk-readings.ts';
import type { Forecast } from './forecast/forecast.ts';
import type { TrackRecord } from './forecast/track-record.ts';
import type { SectorMark } from './log/marks.ts';

/**
 * What every desk shows now: plain JSON, always whole. Instants are milliseconds since 1970 by the flow's clock, rates
 * are people a minute; `null` is what is not known.
 */
export interface DeskState {
  readonly eventId: string;
  /** An IANA name. */
  readonly timeZone: string;
  readonly nowMs: number;
  /**
   * Milliseconds since 1970 by the clock of the machine that tells it, which commands are dated by: however fast the flow's
   * runs. `undefined`: an older version told it.
   */
  readonly wallMs?: number | undefined;
  /** That of the counts, as `shortTimeline` writes it. `undefined`: an older version told it, or nothing was counted yet. */
  readonly timeline?: string | undefined;
  /** Whether the counts can be trusted as of now. */
  readonly source: SourceState;
  readonly times: DeskTimes;
  /** Of the whole ground, the others included. */
  readonly total: DeskFigures;
  /** The venue's rows in their order, then the others: the tickets whose code is no row's. */
  readonly rows: readonly DeskRow[];
  /** In force, and before those the ones that have ended and leave people uncounted; each in the order in which they were set. */
  readonly marks: readonly SectorMark[];
  readonly entryClosedAtMs: number | null;
  readonly evacuatedAtMs: number | null;
  readonly watch: DeskWatch;
  /** In force: active, or not acknowledged; in the order in which they were raised. */
  readonly alarms: readonly Alarm[];
  /** In force now, in the order in which they were made. */
  readonly suspensions: readonly Suspension[];
  readonly forecast: Forecast;
  /** How often forecasts of earlier matches held. */
  readonly trackRecord: readonly TrackRecord[];
  /** The newest minute that is known: a desk that lacks it asks for the history. */
  readonly lastMinuteMs: number | null;
  /** Of the newest row of the log, 0 before the first: a desk that lacks it asks for the log. */
  readonly lastSeq: number;
  readonly record: DeskRecord;
  /** Readings of gates over HTTP that are not in the count; absent: there is none, or it is not known. */
  readonly readings?: readonly ReadingCount[] | undefined;
}

interface DeskTimes {
  readonly gatesOpenAtMs: number | null;
  readonly kickOffAtMs: number | null;
  /** The kick-off was set on a desk, which wins over the event's own. */
  readonly isKickOffOfDesk: boolean;
  /** The event's own, else what a desk set first. `undefined`: an older version told it. */
  readonly plannedKickOffAtMs?: number | null | undefined;
}

/** Whether somebody sees to it that alarms are raised. */
interface DeskWatch {
  /** When the rules were applied last, or found not to apply; null before the first counts. */
  readonly atMs: number | null;
  /** Why those of the flow do not apply now; null: they do. */
  readonly waits: WaitReason | null;
}

export interface DeskFigures {
  readonly admitted: number;
  readonly valid: number;
  /** Permitted, not sold. */
  readonly capacity: number | null;
  /** In the last full minute. */
  readonly lastMinute: number | null;
  /** The mean of the last five full minutes. */
  readonly lastFive: number | null;
  /** The best mean of five minutes so far. */
  readonly bestFive: number | null;
  readonly lastEntryAtMs: number | null;
  /** Since when people passed, as a mark says, who are not counted. */
  readonly incompleteSinceMs: number | null;
  /** How many people the gates let in within an hour, of the ground once every row of the venue says; absent: nobody says. */
  readonly entriesPerHour?: number | undefined;
}

interface DeskRow extends DeskFigures {
  /** Of the row; '' of the others. */
  readonly code: string;
  readonly state: SectorState;
  /** Whom to call about it; absent: nobody says. */
  readonly contact?: string | undefined;
}

export interface DeskRecord {
  /** `writer`: this process writes it; `standby`: another one does; `away`: nobody can, for this reason. */
  readonly state:
    | { readonly kind: 'writer' | 'standby' }
    | { readonly kind: 'away'; readonly reason: string };
  /** False: only in memory, since the server's start. */
  readonly isKept: boolean;
  /** Known minutes that are not written yet. */
  readonly minutesWaiting: number;
}

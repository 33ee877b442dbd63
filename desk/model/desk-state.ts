import type { SourceState } from '../../domain/live-message.ts';
import type { Alarm, Suspension } from './alarms/alarm.ts';
import type { SectorState, WaitReason } from './alarms/evaluation.ts';
import type { ReadingCount } from './desk-readings.ts';
import type { Forecast } from './forecast/forecast.ts';
import type { TrackRecord } from './forecast/track-record.ts';
import type { SectorMark } from './log/marks.ts';

/**
 * The complete state that every desk displays, as JSON. Instants are milliseconds since 1970 by the flow's clock, rates are
 * people per minute; `null` is unknown.
 */
export interface DeskState {
  readonly eventId: string;
  /** An IANA name. */
  readonly timeZone: string;
  readonly nowMs: number;
  /** The sending machine's clock, in milliseconds since 1970, which dates commands; older versions omit it. */
  readonly wallMs?: number | undefined;
  /** The timeline of the counts, as `shortTimeline` writes it; absent before the first counts and in older versions. */
  readonly timeline?: string | undefined;
  /** Whether the counts are live. */
  readonly source: SourceState;
  readonly times: DeskTimes;
  /** The figures of the whole ground, the others included. */
  readonly total: DeskFigures;
  /** The venue's rows in order, then the others: tickets whose code has no row. */
  readonly rows: readonly DeskRow[];
  /** Marks that have ended and left people uncounted, then active ones, each in the order in which they were set. */
  readonly marks: readonly SectorMark[];
  readonly entryClosedAtMs: number | null;
  readonly evacuatedAtMs: number | null;
  readonly watch: DeskWatch;
  /** Open alarms (active or unacknowledged), in the order in which they were raised. */
  readonly alarms: readonly Alarm[];
  /** Active suspensions, in the order in which they were made. */
  readonly suspensions: readonly Suspension[];
  readonly forecast: Forecast;
  /** How often forecasts of earlier matches held. */
  readonly trackRecord: readonly TrackRecord[];
  /** The newest confirmed minute: a desk without it reads the history. */
  readonly lastMinuteMs: number | null;
  /** The newest row of the log, 0 before the first: a desk without it reads the log. */
  readonly lastSeq: number;
  readonly record: DeskRecord;
  /** Readings of gates over HTTP that are not in the count; absent if there is none, or none is known. */
  readonly readings?: readonly ReadingCount[] | undefined;
  /** Another server counts another primary of the same database: one of the two is not to count; absent otherwise. */
  readonly isSplit?: boolean | undefined;
}

interface DeskTimes {
  readonly gatesOpenAtMs: number | null;
  readonly kickOffAtMs: number | null;
  /** Whether the kick-off was set on a desk, which overrides the event's own. */
  readonly isKickOffOfDesk: boolean;
  /** The event's own kick-off, else the first of a desk; older versions omit it. */
  readonly plannedKickOffAtMs?: number | null | undefined;
}

/** Whether the rules of alarms are applied. */
interface DeskWatch {
  /** When the rules were last applied, or found not to apply; null before the first counts. */
  readonly atMs: number | null;
  /** Why the rules of the flow do not apply now; null if they do. */
  readonly waits: WaitReason | null;
}

export interface DeskFigures {
  readonly admitted: number;
  readonly valid: number;
  /** Of the admitted, those whose ticket is not valid; absent: none, a recorded minute, or an older version. */
  readonly invalid?: number | undefined;
  /** The permitted capacity, which may differ from the tickets sold. */
  readonly capacity: number | null;
  /** The net entries of the last full minute. */
  readonly lastMinute: number | null;
  /** The mean of the last five full minutes. */
  readonly lastFive: number | null;
  readonly bestFive: number | null;
  readonly lastEntryAtMs: number | null;
  /** Since when people have passed uncounted, by the marks. */
  readonly incompleteSinceMs: number | null;
  /** How many people the gates pass within an hour, from the venue; the ground has it if every row has. */
  readonly entriesPerHour?: number | undefined;
}

interface DeskRow extends DeskFigures {
  /** The row's code; '' for the others. */
  readonly code: string;
  readonly state: SectorState;
  /** Whom to call about it, from the venue. */
  readonly contact?: string | undefined;
}

export interface DeskRecord {
  /** `writer`: this process leads; `standby`: another one does; `away`: the record is unavailable for this reason. */
  readonly state:
    | { readonly kind: 'writer' | 'standby' }
    | { readonly kind: 'away'; readonly reason: string };
  /** Whether the record outlives the server; otherwise it is in memory. */
  readonly isKept: boolean;
  /** Confirmed minutes that are not written yet. */
  readonly minutesWaiting: number;
  /** This process has not read the record yet: of what it says, as marks and an evacuation, the state has nothing. */
  readonly isUnread?: boolean | undefined;
}

import type {
  Again,
  AlarmNotice,
  AlarmRule,
  MaybeSilent,
  ReturnReason,
  StoppedSector,
  SuspensionMinutes,
} from '../alarms/alarm.ts';
import type { CodesOfRows } from '../former-rows.ts';
import type { StoredForecast, StoredOutcome } from '../forecast/stored-forecast.ts';

/** An entry of one event's log, from which its state follows (log-state.ts). */
export type LogEntry = {
  [K in LogKind]: EntryHead & { readonly kind: K; readonly data: LogData[K] };
}[LogKind];

export type LogKind = keyof LogData;

/** A recorded entry. */
export type LogRow = LogEntry & {
  /** The number of the row, from 1 without gaps. */
  readonly seq: number;
  /** The SHA-256 of the row before, in hexadecimal; empty for the first. */
  readonly previous: string;
  /** The row of a former venue that it was recorded of, where `sector` is the one that counts its tickets now. */
  readonly recordedOf?: string;
};

/** The database that holds a row. */
export interface StoredAt {
  /** Host and port; null for the memory of the process that answers. */
  readonly host: string | null;
  /** The timeline of that host, as operators see it; null if it has none. */
  readonly timeline: string | null;
}

interface EntryHead {
  /** A repeated entry has the same id. */
  readonly id: string;
  /** Milliseconds since 1970 by the flow's clock. */
  readonly atMs: number;
  readonly source: Source;
  /** The operator; null for the server and the gates tool. */
  readonly by: string | null;
  /** A row's code, '' for the others, null for the whole event. */
  readonly sector: string | null;
  readonly figures: Figures;
}

/** Where minutes and entries come from. Simulated ones are never mixed with real ones. */
export type Source = 'live' | 'import' | 'simulated';

/** The figures at the time of the entry. */
export interface Figures {
  readonly total: Figure;
  /** The figures of the entry's sector, if it has one. */
  readonly sector: Figure | null;
}

export interface Figure {
  readonly admitted: number;
  readonly valid: number;
  /** The mean of the last five minutes; null if unknown. */
  readonly perMinute: number | null;
}

/**
 * `unscanned`: "entrada liberada sem leitura"; `suspended`: "entrada suspensa"; `elsewhere`: "leitura em outro
 * sistema".
 */
export type Mark = 'unscanned' | 'suspended' | 'elsewhere';

/** Why a mark is taken back: it has ended ("acabou"), or was a mistake ("foi engano"). */
export type TakeBackReason = 'ended' | 'mistake';

/** The data of each kind of entry. */
interface LogData {
  /** A server has started to observe. */
  started: {
    readonly version: string;
    /** A hash of the codes that the venue's rows count; logs of earlier versions do not have it. */
    readonly rows?: string;
    /** The codes that each row counts, by its name; logs of earlier versions do not have them. */
    readonly codes?: CodesOfRows;
  };
  /** The entry's operator returned to a former primary on purpose, at this time of their machine's clock. */
  returned: { readonly atMs: number };
  /** Minutes that were not observed. */
  gap: { readonly fromMs: number; readonly toMs: number };
  /** A late batch (late-batches.ts); negative where entries were reverted. */
  lot: { readonly count: number };
  /** The database of the tickets or of the record was unavailable between these times. */
  interrupted: { readonly what: 'tickets' | 'record'; readonly fromMs: number; readonly toMs: number };
  /** The database's clock was set by this much. */
  clock: { readonly byMs: number };
  /** The event's times in `event_details`; null where none is set. */
  times: { readonly gatesOpenAtMs: number | null; readonly kickOffAtMs: number | null };
  /** Permitted capacities by code; a sector that is missing has none. */
  capacities: { readonly permitted: Readonly<Record<string, number>> };
  /** A mark without `sinceMs`, of an older desk, holds from its entry on. */
  mark: {
    readonly mark: Mark;
    readonly sinceMs?: number;
    readonly estimate?: { readonly count: number; readonly how: string };
    /** The id of the alarm that the mark acknowledges. */
    readonly alarm?: string;
  };
  /** How many people passed unread under the mark with this id; the newest estimate counts. */
  estimate: { readonly mark: string; readonly count: number; readonly how: string };
  'kick-off': { readonly kickOffAtMs: number };
  'entry-closed': Record<string, never>;
  evacuation: Record<string, never>;
  occurrence: { readonly text: string };
  /** Takes back the entry or import with this id. Marks have `why`, which older desks omit. */
  'take-back': { readonly id: string; readonly why?: TakeBackReason };
  import: { readonly minutes: number; readonly sha256: string };
  /** An alarm is raised; `alarm` in the kinds below is the id of this entry. */
  alarm: AlarmNotice & MaybeSilent;
  'alarm-returned': { readonly alarm: string; readonly why: ReturnReason };
  'alarm-again': { readonly alarm: string } & Again & MaybeSilent;
  /** More sectors have stopped together with those of the alarm. */
  'alarm-joined': { readonly alarm: string; readonly sectors: readonly StoppedSector[] };
  acknowledge: { readonly alarm: string; readonly note: string | null };
  /** The rule raises no alarm for this long, in the sector of the entry. */
  suspend: { readonly rule: AlarmRule; readonly minutes: SuspensionMinutes; readonly reason: string };
  forecast: StoredForecast;
  outcome: StoredOutcome;
  /** The receiver of ALARM_WEBHOOK_URL has answered the message about this entry; outside 200 to 299 it refuses it for good. */
  notified: { readonly id: string; readonly status: number };
}

import type {
  Again,
  AlarmNotice,
  AlarmRule,
  MaybeSilent,
  ReturnReason,
  StoppedSector,
  SuspensionMinutes,
} from '../alarms/alarm.ts';
import type { StoredForecast, StoredOutcome } from '../forecast/stored-forecast.ts';

/** What happened at one event, in the order in which it was recorded. States follow from it (log-state.ts). */
export type LogEntry = {
  [K in LogKind]: EntryHead & { readonly kind: K; readonly data: LogData[K] };
}[LogKind];

export type LogKind = keyof LogData;

/** An entry as it is recorded. */
export type LogRow = LogEntry & {
  /** From 1, without a hole. */
  readonly seq: number;
  /** SHA-256 of the row before, in hexadecimal; empty for the first. */
  readonly previous: string;
};

/** Which database holds a row. */
export interface StoredAt {
  /** With its port; null: it is in the memory of the process that answers. */
  readonly host: string | null;
  /** Of that host's log, as operators are told of it; null: there is none. */
  readonly timeline: string | null;
}

interface EntryHead {
  /** The same entry again has the same. */
  readonly id: string;
  /** Milliseconds since 1970, by the flow's clock. */
  readonly atMs: number;
  readonly source: Source;
  /** The operator; null where it was the server or the gates tool. */
  readonly by: string | null;
  /** A row's code, '' for the others; null for the whole event. */
  readonly sector: string | null;
  readonly figures: Figures;
}

/** Where minutes and entries come from. Invented ones are never mixed with real ones. */
export type Source = 'live' | 'import' | 'simulated';

/** Those of the entry's moment. */
export interface Figures {
  readonly total: Figure;
  /** Of the entry's sector, if it has one. */
  readonly sector: Figure | null;
}

export interface Figure {
  readonly admitted: number;
  readonly valid: number;
  /** Mean of the last five minutes; null where it is not known. */
  readonly perMinute: number | null;
}

/**
 * `unscanned`: "entrada liberada sem leitura"; `suspended`: "entrada suspensa"; `elsewhere`: "leitura em outro
 * sistema".
 */
export type Mark = 'unscanned' | 'suspended' | 'elsewhere';

/** Why a mark is taken back: what it says is over ("acabou"), or was never so ("foi engano"). */
export type TakeBackReason = 'ended' | 'mistake';

/** What each kind of entry says. */
interface LogData {
  /** A server began to watch. */
  started: { readonly version: string };
  /** The operator whose name the entry has went back to a former primary on purpose, at this instant of their machine's clock. */
  returned: { readonly atMs: number };
  /** Minutes that were not watched. */
  gap: { readonly fromMs: number; readonly toMs: number };
  /** See lots.ts; less than zero where so many were taken back. */
  lot: { readonly count: number };
  /** The database of the tickets, or that of the record, could not be reached in between. */
  interrupted: { readonly what: 'tickets' | 'record'; readonly fromMs: number; readonly toMs: number };
  /** The database's clock was set. */
  clock: { readonly byMs: number };
  /** What event_details says; null where it says nothing. */
  times: { readonly gatesOpenAtMs: number | null; readonly kickOffAtMs: number | null };
  /** By the code of the sector, or row; one that is not named has no permitted capacity. */
  capacities: { readonly permitted: Readonly<Record<string, number>> };
  /** Marks of older desks have no `sinceMs`: they hold from their entry on. */
  mark: {
    readonly mark: Mark;
    readonly sinceMs?: number;
    readonly estimate?: { readonly count: number; readonly how: string };
    /** It was set from the card of this alarm, and acknowledges it. */
    readonly alarm?: string;
  };
  /** How many passed unread under the mark with this id: the newest one holds. */
  estimate: { readonly mark: string; readonly count: number; readonly how: string };
  'kick-off': { readonly kickOffAtMs: number };
  'entry-closed': Record<string, never>;
  evacuation: Record<string, never>;
  occurrence: { readonly text: string };
  /** The entry of an operator, or the import, with this id does not hold. Of a mark, `why`; older desks did not say it. */
  'take-back': { readonly id: string; readonly why?: TakeBackReason };
  import: { readonly minutes: number; readonly sha256: string };
  /** It is raised. `alarm`, below: the id of this entry. */
  alarm: AlarmNotice & MaybeSilent;
  'alarm-returned': { readonly alarm: string; readonly why: ReturnReason };
  'alarm-again': { readonly alarm: string } & Again & MaybeSilent;
  /** More sectors turn out to have stopped with those that it names. */
  'alarm-joined': { readonly alarm: string; readonly sectors: readonly StoppedSector[] };
  acknowledge: { readonly alarm: string; readonly note: string | null };
  /** The rule calls nobody for so long, in the sector of the entry. */
  suspend: { readonly rule: AlarmRule; readonly minutes: SuspensionMinutes; readonly reason: string };
  forecast: StoredForecast;
  outcome: StoredOutcome;
  /** The receiver of ALARM_WEBHOOK_URL has answered what was sent of this entry; not 200 to 299: it takes it never. */
  notified: { readonly id: string; readonly status: number };
}

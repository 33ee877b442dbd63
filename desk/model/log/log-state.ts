import type { Alarm, Suspension } from '../alarms/alarm.ts';
import { alarmsAfter, NO_ALARMS } from '../alarms/alarm-states.ts';
import { suspensionEndMs } from '../alarms/suspensions.ts';
import type { LogEntry, LogKind } from './flow-log.ts';
import { makesIncomplete, MarkReader, type SectorMark } from './marks.ts';

type Times = Extract<LogEntry, { kind: 'times' }>['data'];

/** The state of an event after some entries of its log. */
export interface LogState {
  readonly gatesOpenAtMs: number | null;
  /** An operator's kick-off overrides that of `event_details`. */
  readonly kickOffAtMs: number | null;
  readonly isKickOffOfDesk: boolean;
  /** The kick-off of `event_details`, else the first of an operator: later ones postpone it. */
  readonly plannedKickOffAtMs: number | null;
  /** Permitted capacities by the code of the sector. */
  readonly permitted: Readonly<Record<string, number>>;
  /** Active marks, in the order in which they were set. */
  readonly marks: readonly SectorMark[];
  /** Marks under which people passed uncounted, active or ended, in the same order. */
  readonly uncounted: readonly SectorMark[];
  /** Marks that have ended and were no mistake. */
  readonly endedMarks: readonly SectorMark[];
  readonly entryClosedAtMs: number | null;
  readonly evacuatedAtMs: number | null;
  /** When the last closing of the entry, or evacuation, ended. */
  readonly reopenedAtMs: number | null;
  /** Open alarms (active or unacknowledged), in the order in which they were raised. */
  readonly alarms: readonly Alarm[];
  /** When the last stop of a sector ended, by the sector's code. */
  readonly stopOverAtMs: ReadonlyMap<string, number>;
  /** The newest suspension of each rule and sector that was not taken back, also after its end, in order. */
  readonly suspensions: readonly Suspension[];
  readonly withdrawnImports: ReadonlySet<string>;
  /** The ids of the entries that can be taken back. */
  readonly activeIds: ReadonlySet<string>;
  /** The ids of the entries that were taken back. */
  readonly takenBack: ReadonlySet<string>;
}

const CAN_BE_TAKEN_BACK: ReadonlySet<LogKind> = new Set([
  'mark',
  'estimate',
  'kick-off',
  'entry-closed',
  'evacuation',
  'occurrence',
  'import',
  'suspend',
]);

export function canBeTakenBack(kind: LogKind): boolean {
  return CAN_BE_TAKEN_BACK.has(kind);
}

/** Returns the state after these entries, which are the beginning of a log. */
export function readLogState(log: readonly LogEntry[]): LogState {
  const reader = new LogStateReader();
  for (const entry of log) reader.add(entry);
  return reader.state;
}

/** Computes the state entry by entry; an entry takes constant time. */
export class LogStateReader {
  readonly #takenBack = new Set<string>();
  readonly #activeIds = new Set<string>();
  readonly #imports = new Set<string>();
  readonly #withdrawnImports = new Set<string>();
  readonly #marks = new MarkReader();
  readonly #closed = new Map<string, number>();
  readonly #evacuated = new Map<string, number>();
  readonly #activeKickOffs = new Map<string, number>();
  /** Kick-offs of operators, without those at the end that were taken back. */
  readonly #kickOffs: { readonly id: string; readonly kickOffAtMs: number }[] = [];
  /** Suspensions by rule and sector, without those at the end that were taken back. */
  readonly #suspensions = new Map<string, Suspension[]>();
  #reopenedAtMs: number | null = null;
  #alarms = NO_ALARMS;
  #times: Times = { gatesOpenAtMs: null, kickOffAtMs: null };
  #permitted: LogState['permitted'] = {};
  #state: LogState | undefined;

  add(entry: LogEntry): void {
    this.#state = undefined;
    if (entry.kind === 'times') this.#times = entry.data;
    if (entry.kind === 'capacities') this.#permitted = entry.data.permitted;
    if (entry.kind === 'take-back') this.#takeBack(entry);
    this.#alarms = alarmsAfter(this.#alarms, entry);
    if (canBeTakenBack(entry.kind)) this.#activate(entry);
  }

  /** The state after the last entry; the next entry changes its sets. */
  get state(): LogState {
    return (this.#state ??= this.#read());
  }

  #activate(entry: LogEntry): void {
    const { id, kind, atMs, sector, by } = entry;
    if (this.#takenBack.has(id)) {
      if (kind === 'import') this.#withdrawnImports.add(id);
      return;
    }
    this.#activeIds.add(id);
    if (kind === 'mark' || kind === 'estimate') {
      this.#marks.add(entry);
    } else if (kind === 'kick-off') {
      this.#activeKickOffs.set(id, entry.data.kickOffAtMs);
      this.#kickOffs.push({ id, kickOffAtMs: entry.data.kickOffAtMs });
    } else if (kind === 'entry-closed') {
      this.#closed.set(id, atMs);
    } else if (kind === 'evacuation') {
      this.#evacuated.set(id, atMs);
    } else if (kind === 'import') {
      this.#imports.add(id);
    } else if (kind === 'suspend') {
      const { rule, reason } = entry.data;
      const untilMs = suspensionEndMs(entry);
      const key = JSON.stringify([rule, sector]);
      const suspensions = this.#suspensions.get(key) ?? [];
      suspensions.push({ id, rule, sector, sinceMs: atMs, untilMs, reason, by });
      this.#suspensions.set(key, suspensions);
    }
  }

  #takeBack(entry: Extract<LogEntry, { kind: 'take-back' }>): void {
    const { id } = entry.data;
    // A mark that has ended may still turn out to have been a mistake.
    if (this.#marks.takeBack(entry)) return;
    this.#takenBack.add(id);
    this.#activeIds.delete(id);
    this.#activeKickOffs.delete(id);
    const wasClosed = this.#closed.delete(id);
    const wasEvacuated = this.#evacuated.delete(id);
    if (wasClosed || wasEvacuated)
      this.#reopenedAtMs = Math.max(this.#reopenedAtMs ?? entry.atMs, entry.atMs);
    if (this.#imports.delete(id)) this.#withdrawnImports.add(id);
    for (const entries of [this.#kickOffs, ...this.#suspensions.values()])
      while (this.#takenBack.has(entries.at(-1)?.id ?? '')) entries.pop();
  }

  #read(): LogState {
    const marks = this.#marks.read();
    const ofDesk = this.#kickOffs.at(-1);
    return {
      gatesOpenAtMs: this.#times.gatesOpenAtMs,
      kickOffAtMs: ofDesk?.kickOffAtMs ?? this.#times.kickOffAtMs,
      plannedKickOffAtMs: this.#times.kickOffAtMs ?? firstOf(this.#activeKickOffs),
      isKickOffOfDesk: ofDesk !== undefined,
      permitted: this.#permitted,
      marks: marks.filter(({ endedAtMs }) => endedAtMs === undefined),
      endedMarks: marks.filter(({ endedAtMs }) => endedAtMs !== undefined),
      uncounted: marks.filter(({ mark }) => makesIncomplete(mark)),
      entryClosedAtMs: firstOf(this.#closed),
      evacuatedAtMs: firstOf(this.#evacuated),
      reopenedAtMs: this.#reopenedAtMs,
      alarms: [...this.#alarms.open.values()],
      stopOverAtMs: this.#alarms.stopOverAtMs,
      suspensions: [...this.#suspensions.values()]
        .flatMap((entries) => entries.at(-1) ?? [])
        .toSorted((a, b) => a.sinceMs - b.sinceMs),
      withdrawnImports: this.#withdrawnImports,
      activeIds: this.#activeIds,
      takenBack: this.#takenBack,
    };
  }
}

function firstOf(times: ReadonlyMap<string, number>): number | null {
  const [first = null] = times.values();
  return first;
}

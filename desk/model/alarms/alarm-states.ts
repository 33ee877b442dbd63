import type { LogEntry } from '../log/flow-log.ts';
import type { Alarm, AlarmNotice, AlarmRule, StoppedSector } from './alarm.ts';

/** The state that follows from entries of alarms. */
export interface AlarmStates {
  /** Alarms that are active or unacknowledged, by id, in the order in which they were raised. */
  readonly open: ReadonlyMap<string, Alarm>;
  /** When the last stop of a sector ended, by the sector's code. */
  readonly stopOverAtMs: ReadonlyMap<string, number>;
}

export const NO_ALARMS: AlarmStates = { open: new Map(), stopOverAtMs: new Map() };

/**
 * Returns the states of ISA-18.2 after one more entry of the log. A repeated entry, or one about an alarm that is over,
 * changes nothing.
 *
 *                          acknowledge
 *   alarm ──► active, not ───────────► active, acknowledged
 *             acknowledged ◄──────────     │
 *               │     ▲     alarm-again    │ alarm-returned
 *      returned │     │ again              ▼
 *               ▼     │    acknowledge
 *             returned, not ───────────► over
 *             acknowledged
 *
 * A mark that names an alarm acknowledges it. A replaced alarm is over at once: its replacement is the unacknowledged one.
 */
export function alarmsAfter(states: AlarmStates, entry: LogEntry): AlarmStates {
  switch (entry.kind) {
    case 'alarm':
      return states.open.has(entry.id) ? states : withAlarm(states, raisedAlarm(entry));
    case 'alarm-returned':
      return change(noteEndOfStop(states, entry.data.alarm, entry.atMs), entry.data.alarm, entry);
    case 'alarm-again':
    case 'alarm-joined':
    case 'acknowledge':
      return change(states, entry.data.alarm, entry);
    case 'mark':
      return entry.data.alarm === undefined ? states : change(states, entry.data.alarm, entry);
    default:
      return states;
  }
}

export function raisedAlarm({ id, sector, atMs, data }: Extract<LogEntry, { kind: 'alarm' }>): Alarm {
  return {
    ...data,
    id,
    sector,
    sinceMs: atMs,
    figuresAtMs: atMs,
    returnedAtMs: null,
    acknowledged: null,
    againAtMs: null,
  };
}

/** Returns the alarm after an entry about it, also one that is over. */
export function alarmAfter(alarm: Alarm, entry: LogEntry): Alarm {
  const { atMs, by } = entry;
  switch (entry.kind) {
    case 'alarm-returned':
      return { ...alarm, returnedAtMs: alarm.returnedAtMs ?? atMs, returnedWhy: entry.data.why };
    case 'alarm-again':
      return {
        ...alarm,
        ...('figures' in entry.data && { ...noticeOf(alarm.rule, entry.data.figures), figuresAtMs: atMs }),
        returnedAtMs: null,
        returnedWhy: undefined,
        acknowledged: null,
        againAtMs: atMs,
        isSilent: entry.data.isSilent,
      };
    case 'alarm-joined':
      return join(alarm, entry.data.sectors);
    case 'acknowledge':
      return { ...alarm, acknowledged: alarm.acknowledged ?? { atMs, by, note: entry.data.note } };
    case 'mark':
      return { ...alarm, acknowledged: alarm.acknowledged ?? { atMs, by, note: null } };
    default:
      return alarm;
  }
}

function isOver({ returnedAtMs, returnedWhy, acknowledged }: Alarm): boolean {
  return returnedWhy === 'replaced' || (returnedAtMs !== null && acknowledged !== null);
}

function noticeOf(rule: AlarmRule, figures: AlarmNotice['figures']): AlarmNotice {
  return { rule, figures } as AlarmNotice;
}

function join(alarm: Alarm, sectors: readonly StoppedSector[]): Alarm {
  if (alarm.rule !== 'several-stopped') return alarm;
  const named = new Set(alarm.figures.sectors.map(({ sector }) => sector));
  const joined = sectors.filter(({ sector }) => !named.has(sector));
  return { ...alarm, figures: { sectors: [...alarm.figures.sectors, ...joined] } };
}

function noteEndOfStop(states: AlarmStates, id: string, atMs: number): AlarmStates {
  const alarm = states.open.get(id);
  if (alarm?.rule !== 'stopped' && alarm?.rule !== 'several-stopped') return states;
  const sectors =
    alarm.rule === 'stopped' ? [alarm.sector ?? ''] : alarm.figures.sectors.map(({ sector }) => sector);
  const over = sectors.map((sector) => [sector, atMs] as const);
  return { ...states, stopOverAtMs: new Map([...states.stopOverAtMs, ...over]) };
}

function withAlarm(states: AlarmStates, alarm: Alarm): AlarmStates {
  return { ...states, open: new Map(states.open).set(alarm.id, alarm) };
}

/** Removes an alarm that is over. */
function change(states: AlarmStates, id: string, entry: LogEntry): AlarmStates {
  const alarm = states.open.get(id);
  if (!alarm) return states;
  const changed = alarmAfter(alarm, entry);
  if (!isOver(changed)) return withAlarm(states, changed);
  const open = new Map(states.open);
  open.delete(id);
  return { ...states, open };
}

import type { LogEntry } from '../log/flow-log.ts';
import type { Alarm, AlarmNotice, AlarmRule, MaybeSilent, StoppedSector } from './alarm.ts';

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
      return states.open.has(entry.id) ? states : withAlarm(states, raise(entry, entry.data));
    case 'alarm-returned':
      return change(noteEndOfStop(states, entry.data.alarm, entry.atMs), entry.data.alarm, (alarm) => {
        if (entry.data.why === 'replaced' || alarm.acknowledged) return undefined;
        return { ...alarm, returnedAtMs: alarm.returnedAtMs ?? entry.atMs };
      });
    case 'alarm-again':
      return change(states, entry.data.alarm, (alarm) => ({
        ...alarm,
        ...('figures' in entry.data && noticeOf(alarm.rule, entry.data.figures)),
        returnedAtMs: null,
        acknowledged: null,
        againAtMs: entry.atMs,
        isSilent: entry.data.isSilent,
      }));
    case 'alarm-joined':
      return change(states, entry.data.alarm, (alarm) => join(alarm, entry.data.sectors));
    case 'acknowledge':
      return acknowledge(states, entry, entry.data.alarm, entry.data.note);
    case 'mark':
      return entry.data.alarm === undefined ? states : acknowledge(states, entry, entry.data.alarm, null);
    default:
      return states;
  }
}

function acknowledge(
  states: AlarmStates,
  { atMs, by }: LogEntry,
  id: string,
  note: string | null,
): AlarmStates {
  return change(states, id, (alarm) => {
    if (alarm.returnedAtMs !== null) return undefined;
    return alarm.acknowledged ? alarm : { ...alarm, acknowledged: { atMs, by, note } };
  });
}

function raise({ id, sector, atMs }: LogEntry, notice: AlarmNotice & MaybeSilent): Alarm {
  return { ...notice, id, sector, sinceMs: atMs, returnedAtMs: null, acknowledged: null, againAtMs: null };
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

/** Removes the alarm if `next` returns none. */
function change(states: AlarmStates, id: string, next: (alarm: Alarm) => Alarm | undefined): AlarmStates {
  const alarm = states.open.get(id);
  const changed = alarm && next(alarm);
  if (changed) return withAlarm(states, changed);
  if (!alarm) return states;
  const open = new Map(states.open);
  open.delete(id);
  return { ...states, open };
}

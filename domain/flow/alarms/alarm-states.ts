import type { LogEntry } from '../flow-log.ts';
import type { Alarm, AlarmNotice } from './alarm.ts';

/** The alarms in force, by their id, in the order in which they were raised. */
export type AlarmsInForce = ReadonlyMap<string, Alarm>;

/**
 * The alarms in force after one more entry of the log (the states of ISA-18.2). An entry that says nothing new, or that
 * names an alarm which is over, changes nothing.
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
 * An alarm that is replaced is over at once: the one that replaces it waits for somebody.
 */
export function alarmsAfter(alarms: AlarmsInForce, entry: LogEntry): AlarmsInForce {
  switch (entry.kind) {
    case 'alarm':
      return alarms.has(entry.id) ? alarms : withAlarm(alarms, raise(entry, entry.data));
    case 'alarm-returned':
      return change(alarms, entry.data.alarm, (alarm) => {
        if (entry.data.why === 'replaced' || alarm.acknowledged) return undefined;
        return { ...alarm, returnedAtMs: alarm.returnedAtMs ?? entry.atMs };
      });
    case 'alarm-again':
      return change(alarms, entry.data.alarm, (alarm) => ({
        ...alarm,
        returnedAtMs: null,
        acknowledged: null,
        againAtMs: entry.atMs,
      }));
    case 'alarm-joined':
      return change(alarms, entry.data.alarm, (alarm) => join(alarm, entry.data.sectors));
    case 'acknowledge':
      return change(alarms, entry.data.alarm, (alarm) => {
        if (alarm.returnedAtMs !== null) return undefined;
        if (alarm.acknowledged) return alarm;
        const { atMs, by, data } = entry;
        return { ...alarm, acknowledged: { atMs, by, note: data.note } };
      });
    default:
      return alarms;
  }
}

function raise({ id, sector, atMs }: LogEntry, notice: AlarmNotice): Alarm {
  return { ...notice, id, sector, sinceMs: atMs, returnedAtMs: null, acknowledged: null, againAtMs: null };
}

function join(alarm: Alarm, sectors: readonly string[]): Alarm {
  if (alarm.rule !== 'several-stopped') return alarm;
  const all = [...new Set([...alarm.figures.sectors, ...sectors])];
  return { ...alarm, figures: { ...alarm.figures, sectors: all } };
}

function withAlarm(alarms: AlarmsInForce, alarm: Alarm): AlarmsInForce {
  return new Map(alarms).set(alarm.id, alarm);
}

/** Without the alarm where `next` is undefined. */
function change(alarms: AlarmsInForce, id: string, next: (alarm: Alarm) => Alarm | undefined): AlarmsInForce {
  const alarm = alarms.get(id);
  if (!alarm) return alarms;
  const changed = next(alarm);
  if (changed) return withAlarm(alarms, changed);
  const left = new Map(alarms);
  left.delete(id);
  return left;
}

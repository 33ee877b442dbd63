import type { LogRow } from '../log/flow-log.ts';
import type { AlarmNotice, ReturnReason, StoppedSector } from './alarm.ts';

/** One alarm from its beginning to its end, from the log. */
export interface AlarmHistory {
  /** The id of its entry in the log. */
  readonly id: string;
  /** A row's code, '' for the others, null for the whole event. */
  readonly sector: string | null;
  readonly notice: AlarmNotice;
  readonly sinceMs: number;
  /** Acknowledgements in order: several, where it was raised again. */
  readonly acknowledged: readonly AcknowledgedBy[];
  readonly againAtMs: readonly number[];
  /** When its condition came, or came back, while its rule was suspended: the alarm called nobody. */
  readonly silentAtMs: readonly number[];
  /** Sectors that joined those it names. */
  readonly joined: readonly StoppedSector[];
  /** Its returns in order: several, where its condition came back. */
  readonly returned: readonly { readonly atMs: number; readonly why: ReturnReason }[];
  /** Whether its condition held to the end of the log. */
  readonly isActive: boolean;
}

interface AcknowledgedBy {
  readonly atMs: number;
  readonly by: string | null;
  readonly note: string | null;
}

/** Returns all alarms of a log, in the order in which they were raised. */
export function readAlarmHistory(log: readonly LogRow[]): readonly AlarmHistory[] {
  const alarms = new Map<string, AlarmHistory>();
  for (const row of log) {
    if (row.kind === 'alarm' && !alarms.has(row.id)) {
      const { id, sector, atMs: sinceMs, data: notice } = row;
      const nothingYet = { acknowledged: [], againAtMs: [], joined: [], returned: [], isActive: true };
      const silentAtMs = notice.isSilent ? [sinceMs] : [];
      alarms.set(id, { id, sector, notice, sinceMs, silentAtMs, ...nothingYet });
    }
    const alarm = 'alarm' in row.data ? alarms.get(row.data.alarm ?? '') : undefined;
    if (alarm) alarms.set(alarm.id, historyAfter(alarm, row));
  }
  return [...alarms.values()];
}

function historyAfter(alarm: AlarmHistory, row: LogRow): AlarmHistory {
  const { atMs, by } = row;
  switch (row.kind) {
    case 'acknowledge':
      return { ...alarm, acknowledged: [...alarm.acknowledged, { atMs, by, note: row.data.note }] };
    case 'mark':
      return { ...alarm, acknowledged: [...alarm.acknowledged, { atMs, by, note: null }] };
    case 'alarm-again': {
      const which = row.data.isSilent ? 'silentAtMs' : 'againAtMs';
      return { ...alarm, isActive: true, [which]: [...alarm[which], atMs] };
    }
    case 'alarm-joined':
      return { ...alarm, joined: [...alarm.joined, ...row.data.sectors] };
    case 'alarm-returned':
      if (!alarm.isActive) return alarm;
      return { ...alarm, returned: [...alarm.returned, { atMs, why: row.data.why }], isActive: false };
    default:
      return alarm;
  }
}

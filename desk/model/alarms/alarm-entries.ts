import type { LogEntry } from '../log/flow-log.ts';
import type { LogState } from '../log/log-state.ts';
import { bucketOf } from '../series/minute.ts';
import type { Alarm, AlarmNotice, AlarmSubject } from './alarm.ts';
import type { AlarmEvaluation, AlarmFinding, HoldingCondition } from './evaluation.ts';
import { AGAIN_AFTER_MS } from './limits.ts';
import { RULES } from './rules.ts';
import { isSuspended } from './suspensions.ts';

type AlarmKind = 'alarm' | 'alarm-returned' | 'alarm-again' | 'alarm-joined';

/** An entry to be noted, without its time. */
export type AlarmEntry = {
  [K in AlarmKind]: Pick<Extract<LogEntry, { kind: K }>, 'id' | 'kind' | 'sector' | 'data'>;
}[AlarmKind];

/**
 * Returns the entries that an evaluation adds to the log from which it was made. Ids derive from the time, to ten seconds, so
 * that a repeated entry has the same id.
 */
export function alarmEntries(
  { findings }: AlarmEvaluation,
  log: LogState,
  nowMs: number,
): readonly AlarmEntry[] {
  return findings.flatMap((finding) => {
    const alarm = log.alarms.find(({ rule, sector }) => rule === finding.rule && sector === finding.sector);
    return finding.verdict === 'holds'
      ? entriesWhereItHolds(finding, alarm, log, nowMs)
      : entriesWhereItDoesNot(finding, alarm, nowMs);
  });
}

function entriesWhereItHolds(
  condition: HoldingCondition,
  alarm: Alarm | undefined,
  log: LogState,
  nowMs: number,
): readonly AlarmEntry[] {
  // A suspension silences what happens; the log states it all the same.
  const silence = isSuspended(log, condition, nowMs) ? ({ isSilent: true } as const) : undefined;
  const { sector } = condition;
  if (!alarm) {
    return [
      {
        kind: 'alarm',
        id: `alarm:${nameOf(condition)}:${bucketOf(nowMs)}`,
        sector,
        data: { ...noticeOf(condition), ...silence },
      },
    ];
  }
  const { acknowledged } = alarm;
  const isUncalled = alarm.isSilent === true && !acknowledged && !silence;
  if (alarm.returnedAtMs !== null || isUncalled) {
    const again = { alarm: alarm.id, why: 'recurred', figures: condition.figures, ...silence } as const;
    return [entryOf(alarm, 'alarm-again', again, nowMs)];
  }
  if (silence) return [];
  const isUnresolved =
    acknowledged !== null && RULES[alarm.rule].callsAgain && nowMs >= acknowledged.atMs + AGAIN_AFTER_MS;
  const joined = joinedOf(condition, alarm);
  const data = { alarm: alarm.id };
  return [
    ...(isUnresolved ? [entryOf(alarm, 'alarm-again', { ...data, why: 'unresolved' }, nowMs)] : []),
    ...(joined.length > 0 ? [entryOf(alarm, 'alarm-joined', { ...data, sectors: joined }, nowMs)] : []),
  ];
}

function entriesWhereItDoesNot(
  { verdict }: Exclude<AlarmFinding, { verdict: 'holds' }>,
  alarm: Alarm | undefined,
  nowMs: number,
): readonly AlarmEntry[] {
  if (verdict === 'unknown' || !alarm || alarm.returnedAtMs !== null) return [];
  return [entryOf(alarm, 'alarm-returned', { alarm: alarm.id, why: verdict }, nowMs)];
}

function joinedOf(condition: HoldingCondition, alarm: Alarm) {
  if (condition.rule !== 'several-stopped' || alarm.rule !== 'several-stopped') return [];
  const named = new Set(alarm.figures.sectors.map(({ sector }) => sector));
  return condition.figures.sectors.filter(({ sector }) => !named.has(sector));
}

function entryOf<K extends AlarmKind>(
  alarm: Alarm,
  kind: K,
  data: Extract<LogEntry, { kind: K }>['data'],
  nowMs: number,
): AlarmEntry {
  const { id, sector } = alarm;
  return { kind, id: `${kind}${id.slice('alarm'.length)}:${bucketOf(nowMs)}`, sector, data } as AlarmEntry;
}

function noticeOf({ rule, figures }: HoldingCondition): AlarmNotice {
  return { rule, figures } as AlarmNotice;
}

function nameOf({ rule, sector }: AlarmSubject): string {
  return sector === null ? rule : `${rule}:${sector}`;
}

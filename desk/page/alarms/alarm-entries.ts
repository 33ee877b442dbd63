import type { LogEntry, LogKind, LogRow } from '../../model/log/flow-log.ts';

type NamesAlarm = {
  [K in LogKind]: Extract<LogEntry, { kind: K }>['data'] extends { readonly alarm: string } ? K : never;
}[LogKind];

/** Returns the newest entry of this kind about an alarm. */
export function newest<K extends NamesAlarm>(
  log: readonly LogRow[],
  kind: K,
  alarm: string,
): Extract<LogRow, { kind: K }> | undefined {
  return log.findLast(
    (row): row is Extract<LogRow, { kind: K }> =>
      row.kind === kind && 'alarm' in row.data && row.data.alarm === alarm,
  );
}

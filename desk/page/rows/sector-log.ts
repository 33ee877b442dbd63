import type { LogRow } from '../../model/log/flow-log.ts';

/** More rows would leave no room for the curve; the whole log stands beside it. */
const MAX_ROWS = 3;

/** The last entries about a sector, the newest first, with alarms of several sectors that name it. */
export function sectorLog(log: readonly LogRow[], code: string): readonly LogRow[] {
  const rows: LogRow[] = [];
  for (let index = log.length - 1; index >= 0 && rows.length < MAX_ROWS; index -= 1) {
    const row = log[index];
    if (row && isAbout(row, code)) rows.push(row);
  }
  return rows;
}

function isAbout(row: LogRow, code: string): boolean {
  if (row.sector === code) return true;
  return row.kind === 'alarm-joined' && row.data.sectors.some(({ sector }) => sector === code);
}

import type { LogRow } from '../../model/log/flow-log.ts';

/** More would leave no room for the curve; the whole log stands beside it. */
const MOST_ROWS = 3;

/** What was last said of a sector, the newest first: of its own, and of alarms of several that name it. */
export function sectorLog(log: readonly LogRow[], code: string): readonly LogRow[] {
  const said: LogRow[] = [];
  for (let index = log.length - 1; index >= 0 && said.length < MOST_ROWS; index -= 1) {
    const row = log[index];
    if (row && isAbout(row, code)) said.push(row);
  }
  return said;
}

function isAbout(row: LogRow, code: string): boolean {
  if (row.sector === code) return true;
  return row.kind === 'alarm-joined' && row.data.sectors.some(({ sector }) => sector === code);
}

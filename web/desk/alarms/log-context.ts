import type { LogRow } from '../../../domain/flow/flow-log.ts';
import type { ShownSector } from '../../../domain/shown-venue.ts';
import { formatTime } from '../event-time.ts';
import type { LogContext } from './log-words.ts';
import { sectorName } from './sector-name.ts';

export function logContextOf(
  log: readonly LogRow[],
  sectors: readonly ShownSector[],
  timeZone: string,
): LogContext {
  const rows = new Map(log.map((row) => [row.id, row]));
  return {
    nameOf: (sector) => sectorName(sectors, sector),
    timeOf: (atMs) => formatTime(atMs, timeZone),
    find: (id) => rows.get(id),
  };
}

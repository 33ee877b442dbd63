import type { LogRow } from '../../model/log/flow-log.ts';
import type { ShownSector } from '../../../domain/shown-venue.ts';
import type { LogContext, Permitted } from './log-words.ts';
import { formatTime, formatWhen } from '../event-time.ts';
import { sectorName } from '../actions/sector-name.ts';

export function logContextOf(
  log: readonly LogRow[],
  sectors: readonly ShownSector[],
  timeZone: string,
  timeOf = (atMs: number): string => formatTime(atMs, timeZone),
): LogContext {
  const rows = new Map(log.map((row) => [row.id, row]));
  const permittedBefore = new Map<string, Permitted>();
  let permitted: Permitted | undefined;
  for (const row of log) {
    if (row.kind !== 'capacities') continue;
    if (permitted) permittedBefore.set(row.id, permitted);
    permitted = row.data.permitted;
  }
  return {
    nameOf: (sector) => sectorName(sectors, sector),
    timeOf,
    whenOf: (atMs, dayMs) => formatWhen(atMs, dayMs, timeZone),
    find: (id) => rows.get(id),
    permittedBefore: ({ id }) => permittedBefore.get(id),
  };
}

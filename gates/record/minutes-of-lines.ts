import type { MinuteOfSector } from '../../domain/flow/minute.ts';
import { GatesError, quoteValue } from '../errors.ts';
import type { MinuteLine } from './minutes-file.ts';

const MINUTE_MS = 60_000;

/** A row of `triagem.minutes`. */
export interface ImportedMinute extends Pick<MinuteOfSector, 'admitted' | 'net' | 'valid'> {
  readonly minuteMs: number;
  readonly sector: string;
}

/**
 * Minutes whose two ends are in the lines. Before the first line nobody was in; the minute behind a gap is left out, as
 * what entered in it alone is not known.
 *
 * @throws GatesError where a minute lacks a sector, has it twice, or no two minutes follow each other.
 */
export function minutesOfLines(lines: readonly MinuteLine[]): ImportedMinute[] {
  const sectors = [...new Set(lines.map(({ sector }) => sector))];
  const byMinute = new Map<number, Map<string, MinuteLine>>();
  for (const line of lines) {
    const minute = byMinute.get(line.minuteMs) ?? new Map<string, MinuteLine>();
    if (minute.has(line.sector)) {
      throw new GatesError(
        `The sector ${quoteValue(line.sector)} is twice in the minute ${iso(line.minuteMs)}.`,
      );
    }
    byMinute.set(line.minuteMs, minute.set(line.sector, line));
  }
  const inOrder = [...byMinute].toSorted(([a], [b]) => a - b);
  const rows: ImportedMinute[] = [];
  for (const [index, [minuteMs, minute]] of inOrder.entries()) {
    const isFirst = index === 0;
    const before = byMinute.get(minuteMs - MINUTE_MS);
    for (const sector of sectors) {
      const line = minute.get(sector);
      if (!line) {
        throw new GatesError(
          `The minute ${iso(minuteMs)} has no line for the sector ${quoteValue(sector)}: each minute needs one for each sector, with the same number where nobody entered.`,
        );
      }
      const start = isFirst ? 0 : before?.get(sector)?.admitted;
      if (start === undefined) continue;
      rows.push({
        minuteMs,
        sector,
        admitted: line.admitted,
        net: line.admitted - start,
        valid: line.valid,
      });
    }
  }
  if (inOrder.length > 1 && rows.length === sectors.length) {
    throw new GatesError('No two minutes of the file follow each other: it needs a line for each minute.');
  }
  return rows;
}

function iso(minuteMs: number): string {
  return `${new Date(minuteMs).toISOString().slice(0, 16)}Z`;
}

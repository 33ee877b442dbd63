import type { MinuteOfSector } from '../model/series/minute.ts';
import { GatesError, quoteValue } from '../../gates/cli/errors.ts';
import type { MinuteLine } from './minutes-file.ts';

const MINUTE_MS = 60_000;

/** A row of `triagem.minutes`. */
export interface ImportedMinute extends Pick<MinuteOfSector, 'admitted' | 'net' | 'valid'> {
  readonly minuteMs: number;
  readonly sector: string;
}

/**
 * Computes the net entries of each minute from the minute before, else from the column net. Without both, nobody was in
 * before the first line.
 *
 * @throws GatesError if a minute lacks a sector or has it twice, or if the minute before and net are missing
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
    const before = byMinute.get(minuteMs - MINUTE_MS);
    const lastMs = inOrder[index - 1]?.[0];
    for (const sector of sectors) {
      const line = minute.get(sector);
      if (!line) {
        throw new GatesError(
          `The minute ${iso(minuteMs)} has no line for the sector ${quoteValue(sector)}: each minute needs one for each sector, with the same number where nobody entered.`,
        );
      }
      const { admitted, valid } = line;
      const start = before?.get(sector)?.admitted;
      if (start === undefined && line.net === undefined && lastMs !== undefined) {
        throw new GatesError(
          `The minute ${iso(lastMs + MINUTE_MS)} is missing, so that what entered in ${iso(minuteMs)} alone is not known: the file needs a line for each minute, or a column net after a gap.`,
        );
      }
      const net = start === undefined ? (line.net ?? admitted) : admitted - start;
      rows.push({ minuteMs, sector, admitted, net, valid });
    }
  }
  return rows;
}

function iso(minuteMs: number): string {
  return `${new Date(minuteMs).toISOString().slice(0, 16)}Z`;
}

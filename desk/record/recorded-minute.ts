import type { Row } from '../../domain/event-state.ts';
import { FormerRows } from '../model/former-rows.ts';
import type { Minute, MinuteOfSector } from '../model/series/minute.ts';

/** The columns of `triagem.minutes` with the counts of a sector's minute, in order. */
export const COUNT_COLUMNS = [
  'admitted',
  'net',
  'entered',
  'reverted',
  'moved',
  'valid',
  'lots',
] as const satisfies readonly (keyof MinuteOfSector)[];

type Counts = Readonly<Record<(typeof COUNT_COLUMNS)[number], number | null>>;

/** A row of `triagem.minutes` as JSON; `at` is seconds since 1970. */
export type MinuteRow = Counts & { readonly at: number; readonly sector: string };

/** The value of `sector` for all codes without a row. */
const OTHERS = '';

/** Returns one database row for each row of the venue, and one for the others. */
export function rowsOf({ minuteMs, sectors }: Minute, codes: readonly string[]): MinuteRow[] {
  return [...codes, OTHERS].map((sector, index) => {
    const counts = sectors[index];
    if (!counts) throw new RangeError(`a minute of ${sectors.length} sectors, not of ${codes.length + 1}`);
    const { admitted, net, entered, reverted, moved, valid, lots } = counts;
    return { at: minuteMs / 1_000, sector, admitted, net, entered, reverted, moved, valid, lots };
  });
}

/** A sector's code, then its counts in the order of COUNT_COLUMNS. */
export type SectorCells = readonly [sector: string, ...counts: (number | null)[]];

/**
 * Returns the minute in the rows of this venue. What was recorded for a row counts in the one that counts its codes now, else
 * among the others. `undefined` where a row of the venue was not counted apart: how much was its is not known.
 */
export function minuteOf(
  minuteMs: number,
  cells: readonly SectorCells[],
  rows: readonly Row[],
  former = new FormerRows(),
): Minute | undefined {
  const sums: (Counts | undefined)[] = [...rows, OTHERS].map(() => undefined);
  for (const [sector, ...counts] of cells) {
    const [place = rows.length, ...more] = former.placesOf(sector, rows);
    if (more.length > 0) return undefined;
    const before = sums[place];
    const own = Object.fromEntries(COUNT_COLUMNS.map((name, column) => [name, counts[column] ?? null]));
    sums[place] = before ? sumOf(before, own as Counts) : (own as Counts);
  }
  const sectors: MinuteOfSector[] = [];
  for (const counts of sums) {
    if (!counts) return undefined;
    const { admitted, net, valid, lots } = counts;
    sectors.push({
      ...counts,
      admitted: admitted ?? 0,
      net: net ?? 0,
      valid: valid ?? 0,
      lots: lots ?? 0,
    });
  }
  return { minuteMs, sectors };
}

function sumOf(one: Counts, other: Counts): Counts {
  const sum = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : a + b;
  return Object.fromEntries(COUNT_COLUMNS.map((name) => [name, sum(one[name], other[name])])) as Counts;
}

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

/** Returns `undefined` for a minute of a venue with other rows. */
export function minuteOf(
  minuteMs: number,
  cells: readonly SectorCells[],
  codes: readonly string[],
): Minute | undefined {
  if (cells.length !== codes.length + 1) return undefined;
  const bySector = new Map(cells.map(([sector, ...counts]) => [sector, counts]));
  const sectors: MinuteOfSector[] = [];
  for (const code of [...codes, OTHERS]) {
    const counts = bySector.get(code);
    if (!counts) return undefined;
    const [admitted = 0, net = 0, entered = null, reverted = null, moved = null, valid = 0, lots = 0] =
      counts;
    sectors.push({
      admitted: admitted ?? 0,
      net: net ?? 0,
      entered,
      reverted,
      moved,
      valid: valid ?? 0,
      lots: lots ?? 0,
    });
  }
  return { minuteMs, sectors };
}

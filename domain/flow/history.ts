import type { Minute, MinuteOfSector } from './minute.ts';

/** Minutes in columns, as a desk reads them: a third of their size in rows. */
export interface History {
  /** When each minute began; every column has as many values, in this order. A minute that is not known is not there. */
  readonly minuteMs: readonly number[];
  readonly sectors: readonly SectorHistory[];
}

export type SectorHistory = { readonly code: string } & {
  readonly [K in keyof MinuteOfSector]: readonly MinuteOfSector[K][];
};

/** `codes`: of the rows, '' of the others, in the order of a minute's sectors. */
export function toHistory(minutes: readonly Minute[], codes: readonly string[]): History {
  return {
    minuteMs: minutes.map(({ minuteMs }) => minuteMs),
    sectors: codes.map((code, index) => {
      const rows = minutes.flatMap(({ sectors }) => sectors[index] ?? []);
      return {
        code,
        admitted: rows.map(({ admitted }) => admitted),
        net: rows.map(({ net }) => net),
        entered: rows.map(({ entered }) => entered),
        reverted: rows.map(({ reverted }) => reverted),
        moved: rows.map(({ moved }) => moved),
        valid: rows.map(({ valid }) => valid),
        lots: rows.map(({ lots }) => lots),
      };
    }),
  };
}

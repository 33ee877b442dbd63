import type { Minute, MinuteOfSector } from './minute.ts';

/** Minutes in columns, as a desk reads them: a third of their size in rows. */
export interface History {
  /** When each minute began; every column has as many values, in this order. A minute that is not known is not there. */
  readonly minuteMs: readonly number[];
  readonly sectors: readonly SectorHistory[];
}

type SectorHistory = { readonly code: string } & {
  readonly [K in keyof MinuteOfSector]: readonly (number | null)[];
};

/** `codes`: of the rows, '' of the others, in the order of a minute's sectors. */
export function toHistory(minutes: readonly Minute[], codes: readonly string[]): History {
  const sectors = codes.map((code, index) => {
    const column = (name: keyof MinuteOfSector) =>
      minutes.map((minute) => minute.sectors[index]?.[name] ?? null);
    return {
      code,
      admitted: column('admitted'),
      net: column('net'),
      entered: column('entered'),
      reverted: column('reverted'),
      moved: column('moved'),
      valid: column('valid'),
      lots: column('lots'),
    };
  });
  return { minuteMs: minutes.map(({ minuteMs }) => minuteMs), sectors };
}

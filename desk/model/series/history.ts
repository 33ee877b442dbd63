import { hasFields, isListOf, isNullOr, isNumber, isText } from '../json-shape.ts';
import type { Minute, MinuteOfSector } from './minute.ts';

/** Minutes in columns, as a desk reads them: a third of their size in rows. */
export interface History {
  /** When each confirmed minute began; every column has as many values, in this order. */
  readonly minuteMs: readonly number[];
  readonly sectors: readonly SectorHistory[];
}

type SectorHistory = { readonly code: string } & {
  readonly [K in keyof MinuteOfSector]: readonly (number | null)[];
};

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

const isColumn = isListOf(isNullOr(isNumber));

const isHistory = hasFields({
  minuteMs: isListOf(isNumber),
  sectors: isListOf(
    hasFields({
      code: isText,
      admitted: isColumn,
      net: isColumn,
      entered: isColumn,
      reverted: isColumn,
      moved: isColumn,
      valid: isColumn,
      lots: isColumn,
    }),
  ),
});

/** Reads the minutes of a history that was parsed from JSON. @throws Error where it is malformed */
export function fromHistory(value: unknown): readonly Minute[] {
  if (!isHistory(value)) throw new Error('malformed history');
  const { minuteMs, sectors } = value as History;
  return minuteMs.map((ms, index) => ({
    minuteMs: ms,
    sectors: sectors.map(({ admitted, net, entered, reverted, moved, valid, lots }) => ({
      admitted: admitted[index] ?? 0,
      net: net[index] ?? 0,
      entered: entered[index] ?? null,
      reverted: reverted[index] ?? null,
      moved: moved[index] ?? null,
      valid: valid[index] ?? 0,
      lots: lots[index] ?? 0,
    })),
  }));
}

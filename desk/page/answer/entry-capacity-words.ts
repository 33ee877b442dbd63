import type { DeskFigures } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { GROUND_NAME, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';

/** The needed rate is rounded up to this step. */
const STEP = 10;
const MOST_SECTORS = 2;

/**
 * Names where more people would have to enter than the gates let in by the venue's file: "SUL DORIL precisa de 3.100/h; passa no
 * máximo 2.400/h". The ground comes first, then the sectors with the largest excess.
 */
export function entryCapacityWords({ state, sectors }: DeskView): readonly string[] {
  const { forecast, rows, total } = state;
  if (forecast.kind !== 'made') return [];
  const ground = excessOf(GROUND_NAME, forecast.total?.[0], total);
  const ofSectors = rows
    .flatMap((row, place) => excessOf(sectorName(sectors, row.code), forecast.sectors[place], row))
    // Browsers of 2022 have no toSorted.
    // oxlint-disable-next-line unicorn/no-array-sort
    .sort((a, b) => b.share - a.share);
  const words = [...ground, ...ofSectors.slice(0, MOST_SECTORS)].map((excess) => excess.words).join('; ');
  const more = ofSectors.length - MOST_SECTORS;
  if (words === '') return [];
  return [more > 0 ? `${words} · e mais ${more}` : words];
}

function excessOf(
  name: string,
  outlook: Outlook | null | undefined,
  { entriesPerHour }: DeskFigures,
): readonly { readonly words: string; readonly share: number }[] {
  if (!outlook || entriesPerHour === undefined) return [];
  const needed = 60 * outlook.perMinuteNeeded;
  if (needed <= entriesPerHour) return [];
  const rounded = formatCount(Math.ceil(needed / STEP) * STEP);
  return [
    {
      words: `${name} precisa de ${rounded}/h; passa no máximo ${formatCount(entriesPerHour)}/h`,
      share: needed / entriesPerHour,
    },
  ];
}

import type { DeskFigures } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { GROUND_NAME, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';

/** What is needed is never told too small. */
const STEP = 10;
const MOST_SECTORS = 2;

/**
 * Where more would have to enter than the gates let in, as the venue's file says: "SUL DORIL precisa de 3.100/h; passa no
 * máximo 2.400/h". One sentence: the ground first, then the sectors that lack most.
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
  const shown = [...ground, ...ofSectors.slice(0, MOST_SECTORS)].map(({ words }) => words);
  const more = ofSectors.length - MOST_SECTORS;
  const words = shown.join('; ');
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
  const shown = formatCount(Math.ceil(needed / STEP) * STEP);
  return [
    {
      words: `${name} precisa de ${shown}/h; passa no máximo ${formatCount(entriesPerHour)}/h`,
      share: needed / entriesPerHour,
    },
  ];
}

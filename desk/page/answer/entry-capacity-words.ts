import type { DeskState } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { GROUND_NAME, sectorName } from '../actions/sector-name.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';
import { formatExpected } from '../figure-format.ts';
import { withoutWords } from '../span-words.ts';
import { throughGates } from './at-best.ts';

/** The needed rate is rounded up to this step. */
const STEP = 10;
const MAX_SECTORS = 2;
/** With less time than that, what is needed an hour is a number that says nothing. */
const MIN_LEFT_MIN = 3;

/**
 * Names where more people would have to enter than the gates let in by the venue's file: "SUL DORIL precisa de 3.100/h; passa no
 * máximo 2.400/h". One sentence: the ground first, then the sectors that lack most; another where the range of the ground
 * stands beside what the gates can let in by kick-off.
 */
export function entryCapacityWords(view: DeskView): readonly string[] {
  const { state, sectors } = view;
  const { forecast, rows } = state;
  if (forecast.kind !== 'made') return [];
  const { atMs, without } = forecast;
  const outlook = forecast.total?.[0];
  const entriesPerHour = groundEntriesPerHour(state, without);
  const left = without ? ` (${withoutWords(without, (code) => sectorName(sectors, code))})` : '';
  const ground = excessOf(`${GROUND_NAME}${left}`, outlook, { entriesPerHour, atMs });
  const ofSectors = rows
    // Nobody is to come through a suspended entry, whatever its tickets would need.
    .flatMap((row, place) =>
      without?.includes(row.code)
        ? []
        : excessOf(sectorName(sectors, row.code), forecast.sectors[place], {
            entriesPerHour: row.entriesPerHour,
            atMs,
          }),
    )
    // Browsers of 2022 have no toSorted.
    // oxlint-disable-next-line unicorn/no-array-sort
    .sort((a, b) => b.share - a.share);
  const words = [...ground, ...ofSectors.slice(0, MAX_SECTORS)].map((excess) => excess.words).join('; ');
  const more = ofSectors.length - MAX_SECTORS;
  return [
    ...(words === '' ? [] : [more > 0 ? `${words} · e mais ${more}` : words]),
    ...rangeBesideGates(view, outlook, { entriesPerHour, atMs }),
  ];
}

/** Of the same sectors as the forecast of the ground; undefined where one of them has none. */
function groundEntriesPerHour(
  { rows, total }: DeskState,
  without: readonly string[] | undefined,
): number | undefined {
  if (!without || total.entriesPerHour === undefined) return total.entriesPerHour;
  const leftOut = rows.filter(({ code }) => without.includes(code));
  return leftOut.reduce((rest, { entriesPerHour = 0 }) => rest - entriesPerHour, total.entriesPerHour);
}

/**
 * The range is of earlier matches, and knows nothing of these gates. While range and gates come close the one is now above the
 * other, now below: the sentence stays, so that nothing moves, from when the gates can no longer let in every ticket.
 */
function rangeBesideGates(
  view: DeskView,
  outlook: Outlook | undefined,
  { entriesPerHour, atMs }: Gates,
): readonly string[] {
  if (!outlook || entriesPerHour === undefined || 'why' in outlook.range) return [];
  const { admitted, valid, kickOffAtMs, range } = outlook;
  const ofGround = admitted + (entriesPerHour * (kickOffAtMs - atMs)) / (60 * MINUTE_MS);
  const most = Math.min(ofGround, throughGates(view, outlook).most);
  if (most >= valid) return [];
  const fits =
    range.high > most ? 'a ponta menor cabe no máximo dos portões' : 'a faixa cabe no máximo dos portões';
  const words = range.low > most ? 'a faixa não conta com o máximo dos portões' : fits;
  return [
    `${words}: com ele, até as ${formatTime(kickOffAtMs, view.state.timeZone)} serão no máximo ${formatExpected(most, valid)} dentro`,
  ];
}

interface Gates {
  readonly entriesPerHour: number | undefined;
  /** When the forecast was made. */
  readonly atMs: number;
}

function excessOf(
  name: string,
  outlook: Outlook | null | undefined,
  { entriesPerHour, atMs }: Gates,
): readonly { readonly words: string; readonly share: number }[] {
  if (!outlook || entriesPerHour === undefined) return [];
  const needed = 60 * outlook.perMinuteNeeded;
  if (needed <= entriesPerHour) return [];
  const isTooLate = outlook.kickOffAtMs - atMs < MIN_LEFT_MIN * MINUTE_MS;
  const wanted = isTooLate
    ? ': não dá mais tempo para todos os esperados'
    : ` precisa de ${formatCount(Math.ceil(needed / STEP) * STEP)}/h`;
  return [
    {
      words: `${name}${wanted}; passa no máximo ${formatCount(entriesPerHour)}/h`,
      share: needed / entriesPerHour,
    },
  ];
}

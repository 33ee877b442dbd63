import { describeIncomplete } from '../caveats.ts';
import type { DeskView } from '../desk-view.ts';
import { formatShare } from '../figure-format.ts';
import { staleSinceMs } from '../stale-since.ts';
import { barOf } from './row-words.ts';

/** The ticks on the bars: their meaning, and their positions from 0 to 1. */
export interface BarTicks {
  readonly words: string;
  readonly at: ReadonlyMap<string, number>;
}

/**
 * A tick is at the sector's usual count for this time; without earlier matches, at the share of the whole ground.
 */
export function barTicks(view: DeskView): BarTicks | null {
  if (staleSinceMs(view) !== null) return null;
  const { rows, forecast, total } = view.state;
  const usual = forecast.kind === 'made' ? forecast.sectors.map((outlook) => outlook?.usual ?? null) : [];
  if (usual.some((count) => count !== null)) {
    return { words: 'traço: onde costuma estar a esta hora', at: ticksAt(view, (index) => usual[index]) };
  }
  const share = formatShare(total.admitted, total.valid);
  if (share === null) return null;
  const mean = total.admitted / total.valid;
  const at = ticksAt(view, (index) => {
    const { code = '', valid = 0 } = rows[index] ?? {};
    return describeIncomplete(view, code) === null ? valid * mean : null;
  });
  return at.size === 0 ? null : { words: `traço: média do estádio, ${share} dos ingressos`, at };
}

/** States the end of the bars, to which the shares refer. */
export function barEndWords({ state: { rows } }: DeskView): string {
  const drawn = rows.filter(({ code, admitted }) => code !== '' || admitted > 0);
  const permitted = drawn.filter(({ capacity }) => capacity !== null).length;
  if (permitted === 0) return 'barra e %: dos ingressos válidos';
  const isAll = permitted === drawn.length;
  return isAll
    ? 'barra e %: da lotação permitida'
    : 'barra e %: da lotação permitida; onde não há, dos ingressos válidos';
}

function ticksAt(
  { state: { rows } }: DeskView,
  countOf: (index: number) => number | null | undefined,
): ReadonlyMap<string, number> {
  const at = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const count = countOf(index) ?? null;
    const tick = count === null ? null : barOf(row, count);
    if (tick !== null) at.set(row.code, tick);
  }
  return at;
}

import type { DeskView } from '../desk-view.ts';
import { formatShare } from '../figure-format.ts';
import { staleSinceMs } from '../stale-since.ts';
import { barOf } from './row-words.ts';

/** What the marks on the bars stand for, and where each is, from 0 to 1. */
export interface BarTicks {
  readonly words: string;
  readonly at: ReadonlyMap<string, number>;
}

/**
 * Where a sector is at this time at earlier matches; without those, where the ground is as a whole: a sector that is
 * behind shows it by its bar.
 */
export function barTicks(view: DeskView): BarTicks | null {
  if (staleSinceMs(view) !== null) return null;
  const { rows, forecast, total } = view.state;
  const usual = forecast.kind === 'made' ? forecast.sectors.map((outlook) => outlook?.usual ?? null) : [];
  if (usual.some((count) => count !== null)) {
    return { words: 'traço: onde costuma estar a esta hora', at: place(view, (index) => usual[index]) };
  }
  const share = formatShare(total.admitted, total.valid);
  if (share === null) return null;
  const mean = total.admitted / total.valid;
  return {
    words: `traço: média do estádio, ${share}`,
    at: place(view, (index) => (rows[index]?.valid ?? 0) * mean),
  };
}

/** What the bars end at, and shares are of. */
export function barEndWords({ state: { rows } }: DeskView): string {
  const permitted = rows.filter(({ code, capacity }) => code !== '' && capacity !== null).length;
  if (permitted === 0) return 'barra e %: dos ingressos válidos';
  const isAll = permitted === rows.filter(({ code }) => code !== '').length;
  return isAll
    ? 'barra e %: da lotação permitida'
    : 'barra e %: da lotação permitida; onde não há, dos ingressos válidos';
}

function place(
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

import type { SectorMark } from '../model/log/marks.ts';
import { estimatedCount, type UncountedSpan } from '../model/log/uncounted.ts';
import { formatCount } from '../../page/design/number-format.ts';
import { listNames } from './actions/sector-name.ts';

/** "desde 18:33 até 18:40 e desde 18:52". */
export function spanWords(spans: readonly UncountedSpan[], timeOf: (atMs: number) => string): string {
  return listNames(
    spans.map(({ fromMs, toMs }) => {
      const until = toMs === Infinity ? '' : ` até ${timeOf(toMs)}`;
      return `desde ${timeOf(fromMs)}${until}`;
    }),
  );
}

/** "~150 sem leitura". */
export function estimateWords(count: number): string {
  return `~${formatCount(count)} sem leitura`;
}

/** "~150 sem leitura ou mais", where not all marks have an estimate; null where none has. */
export function estimatedWords(uncounted: readonly SectorMark[]): string | null {
  const count = estimatedCount(uncounted);
  if (count === null) return null;
  return `${estimateWords(count)}${uncounted.every(({ estimate }) => estimate) ? '' : ' ou mais'}`;
}

/** "~150 sem leitura (Bia: “contagem manual”)". */
export function statedEstimate({ count, by, how }: NonNullable<SectorMark['estimate']>): string {
  return `${estimateWords(count)} (${by === null ? '' : `${by}: `}“${how}”)`;
}

const MAX_NAMES = 3;

/** "sem CAMAROTES e NORTE": the sectors that a forecast leaves out. */
export function withoutWords(codes: readonly string[], nameOf: (code: string) => string): string {
  const names = codes.map((code) => (code === '' ? `quem está ${nameOf(code)}` : nameOf(code)));
  return `sem ${listNames(names, MAX_NAMES)}`;
}

import { useMemo } from 'react';
import type { Minute } from '../../model/series/minute.ts';
import { SPARKLINE, sparklinePath } from './sparkline-path.ts';

/** What entered in each of the last thirty minutes. The table beside it says the rest: it is no news to a reader of text. */
export function Sparkline(props: {
  readonly minutes: readonly Minute[];
  readonly place: number;
  /** The beginning of the running minute. */
  readonly endMs: number;
}) {
  const { minutes, place, endMs } = props;
  const path = useMemo(() => sparklinePath(minutes, place, endMs), [minutes, place, endMs]);
  const { width, height } = SPARKLINE;
  return (
    <svg
      className="row-sparkline"
      viewBox={`0 -1 ${width} ${height + 2}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

import { useMemo } from 'react';
import type { Minute } from '../../model/series/minute.ts';
import { SPARKLINE, sparklinePath } from './sparkline-path.ts';

/** The admissions in each of the last thirty minutes, hidden from screen readers, as the table has the figures. */
export function Sparkline(props: {
  readonly minutes: readonly Minute[];
  readonly rowIndex: number;
  /** The beginning of the running minute. */
  readonly endMs: number;
}) {
  const { minutes, rowIndex, endMs } = props;
  const path = useMemo(() => sparklinePath(minutes, rowIndex, endMs), [minutes, rowIndex, endMs]);
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

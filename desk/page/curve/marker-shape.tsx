import type { MarkerKind } from './log-marker.ts';

/** The kinds differ in shape, not in colour alone. Each shape has 10 by 10 pixels around a point. */
const SHAPES: Record<MarkerKind, string> = {
  evacuation: 'M-5-2H0V-5L5 0L0 5V2H-5Z',
  alarm: 'M0-5L5 0L0 5L-5 0Z',
  caveat: 'M0-5L5 4H-5Z',
  suspended: 'M-4-4H-1V4H-4ZM1-4H4V4H1Z',
  occurrence: 'M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0Z',
  lot: 'M-4-4H4V4H-4Z',
  order: 'M-4-5V5H-2V1L5-2L-2-5Z',
};

const MARKER_NAMES: Record<MarkerKind, string> = {
  evacuation: 'evacuação',
  alarm: 'alarme',
  caveat: 'contagem incompleta',
  suspended: 'entrada suspensa',
  occurrence: 'ocorrência',
  lot: 'lote',
  order: 'decisão',
};

interface MarkerShapeProps {
  readonly x: number;
  readonly y: number;
  readonly kind: MarkerKind;
  readonly scale?: number;
}

export function MarkerShape({ x, y, kind, scale = 1 }: MarkerShapeProps) {
  return (
    <path
      className="curve-marker"
      data-kind={kind}
      d={SHAPES[kind]}
      transform={`translate(${x} ${y}) scale(${scale})`}
    />
  );
}

export function MarkerLegend({ kinds }: { readonly kinds: readonly MarkerKind[] }) {
  if (kinds.length === 0) return null;
  return (
    <ul className="curve-legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <svg width="0.75rem" height="0.75rem" viewBox="-6 -6 12 12" aria-hidden="true">
            <MarkerShape x={0} y={0} kind={kind} />
          </svg>{' '}
          {MARKER_NAMES[kind]}
        </li>
      ))}
    </ul>
  );
}

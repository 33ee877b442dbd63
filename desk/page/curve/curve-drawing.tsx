import { memo } from 'react';
import type { CurveLayout } from './curve-layout.ts';
import { MarkerShape } from './marker-shape.tsx';

export interface CurveDrawingProps {
  readonly layout: CurveLayout;
  /** The ids of the elements that name and describe the drawing. */
  readonly nameId: string;
  readonly sentenceId: string;
}

export const CurveDrawing = memo(function CurveDrawing({ layout, nameId, sentenceId }: CurveDrawingProps) {
  const { size, fontPx } = layout;
  return (
    <svg
      className="curve-drawing"
      role="img"
      aria-labelledby={nameId}
      aria-describedby={sentenceId}
      width={size.width}
      height={size.height}
      viewBox={`0 0 ${size.width} ${size.height}`}
      fontSize={fontPx}
    >
      <Ground layout={layout} />
      <path className="curve-range" d={layout.rangePath} />
      <path className="curve-usual" d={layout.usualPath} />
      <path className="curve-bridge" d={layout.bridgesPath} />
      <path className="curve-line" d={layout.linePath} />
      {layout.dots.map(({ x, y }) => (
        <circle className="curve-dot" key={x} cx={x} cy={y} r={2.5} />
      ))}
      <g className="curve-bars">
        {layout.bars.map((bar) => (
          <rect key={bar.x} {...bar} />
        ))}
      </g>
      {layout.needed && (
        <line
          className="curve-needed"
          x1={layout.needed.fromX}
          x2={layout.needed.toX}
          y1={layout.needed.y}
          y2={layout.needed.y}
        />
      )}
      {layout.markers.map(({ x, y, kind }) => (
        <MarkerShape key={x} x={x} y={y} kind={kind} scale={size.remPx / 16} />
      ))}
      {[...layout.moments, ...layout.labels, ...layout.times].map(({ text, kind, x, y, width, height }) => (
        <text
          key={`${kind} ${x} ${y}`}
          data-kind={kind}
          x={kind === 'time' ? x + width / 2 : x}
          y={y + 0.77 * height}
          textAnchor={kind === 'time' ? 'middle' : 'start'}
        >
          {text}
        </text>
      ))}
    </svg>
  );
});

/** Axes, gaps, and the moments of the match. */
function Ground({ layout }: { readonly layout: CurveLayout }) {
  const { curve, columns, fontPx, y, yTicks, rate, rateTicks } = layout;
  const bottom = columns.y + columns.height;
  const right = curve.x + curve.width;
  return (
    <g>
      {layout.gaps.map((gap) => (
        <rect className="curve-gap" key={gap.x} {...gap} />
      ))}
      {yTicks.map(({ count, text }) => (
        <Tick key={count} x1={curve.x} x2={right} y={y(count)} text={text} fontPx={fontPx} />
      ))}
      {rateTicks.map(({ count, text }) => (
        <Tick key={count} x1={columns.x} x2={right} y={rate(count)} text={text} fontPx={fontPx} />
      ))}
      <line className="curve-axis" x1={columns.x} x2={right} y1={bottom} y2={bottom} />
      {layout.ceilings.map(({ kind, y: at }) => (
        <line className="curve-ceiling" data-kind={kind} key={kind} x1={curve.x} x2={right} y1={at} y2={at} />
      ))}
      {layout.lines.map(({ kind, x, y: top }) => (
        <line className="curve-moment" data-kind={kind} key={kind} x1={x} x2={x} y1={top} y2={bottom} />
      ))}
    </g>
  );
}

interface TickProps {
  readonly x1: number;
  readonly x2: number;
  readonly y: number;
  readonly text: string;
  readonly fontPx: number;
}

function Tick({ x1, x2, y, text, fontPx }: TickProps) {
  return (
    <>
      <line className="curve-grid" x1={x1} x2={x2} y1={y} y2={y} />
      <text data-kind="tick" x={x1 - 6} y={y + 0.35 * fontPx} textAnchor="end">
        {text}
      </text>
    </>
  );
}

import type { KeyboardEvent, PointerEvent } from 'react';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { type CurveLayout, minuteX } from './curve-layout.ts';
import { type MinuteReading, readingWords } from './minute-reading.ts';

export interface MinuteCursorProps {
  readonly layout: CurveLayout;
  readonly readings: readonly MinuteReading[];
  /** An index of the readings, or null. */
  readonly selected: number | null;
  readonly onSelect: (selected: number | null) => void;
  /** Called for Enter on the selected minute. */
  readonly onOpen: (minuteMs: number) => void;
}

const FAR = 10;

/** Lies over the drawing: a pointer, or the keys of a slider, select a minute. */
export function MinuteCursor({ layout, readings, selected, onSelect, onOpen }: MinuteCursorProps) {
  const last = readings.length - 1;
  const reading = readings[selected ?? last];
  const select = (index: number): void => onSelect(Math.min(Math.max(index, 0), last));
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const pointedMs = layout.x.invert(event.clientX - left);
    select(Math.round((pointedMs - (readings[0]?.minuteMs ?? 0)) / MINUTE_MS) - 1);
  };
  const follow = (event: PointerEvent<HTMLDivElement>): void => {
    // A pressed minute stays selected, so that the pointer can move on to the button.
    const isPinned = selected !== null && document.activeElement === event.currentTarget;
    if (!isPinned || event.buttons !== 0) point(event);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && reading) onOpen(reading.minuteMs);
    const index = nextIndex(event.key, selected ?? last, last);
    if (index === undefined || index === selected) return;
    event.preventDefault();
    onSelect(index);
  };
  return (
    <div
      className="curve-cursor"
      role="slider"
      tabIndex={0}
      aria-label="minuto da curva"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={selected ?? last}
      aria-valuetext={reading && readingWords(reading)}
      onKeyDown={press}
      onFocus={() => selected === null && onSelect(last)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.closest('figure')?.contains(relatedTarget)) onSelect(null);
      }}
      onPointerDown={point}
      onPointerMove={follow}
      onPointerLeave={(event) => {
        if (event.pointerType === 'mouse' && document.activeElement !== event.currentTarget) onSelect(null);
      }}
    >
      {selected !== null && reading && <CursorLine layout={layout} reading={reading} />}
    </div>
  );
}

/** Returns null to clear the selection, and undefined for any other key. */
function nextIndex(key: string, index: number, last: number): number | null | undefined {
  const keys: Record<string, number | null> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - FAR,
    PageUp: index + FAR,
    Home: 0,
    End: last,
    Escape: null,
  };
  const next = keys[key];
  return typeof next === 'number' ? Math.min(Math.max(next, 0), last) : next;
}

function CursorLine({ layout, reading }: { readonly layout: CurveLayout; readonly reading: MinuteReading }) {
  const { size, curve, columns, y } = layout;
  const x = minuteX(layout, reading.minuteMs);
  const dot = reading.column ? y(reading.column.admitted) : null;
  return (
    <svg width={size.width} height={size.height} aria-hidden="true">
      <line className="curve-pointed" x1={x} x2={x} y1={curve.y} y2={columns.y + columns.height} />
      {dot !== null && <circle className="curve-pointed-dot" cx={x} cy={dot} r={4} />}
    </svg>
  );
}

import type { KeyboardEvent, PointerEvent } from 'react';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { type CurveLayout, minuteX } from './curve-layout.ts';
import { type MinuteReading, readingWords } from './minute-reading.ts';

export interface MinuteCursorProps {
  readonly layout: CurveLayout;
  /** At least one. */
  readonly readings: readonly MinuteReading[];
  /** A place among the readings; null: none is pointed at. */
  readonly selected: number | null;
  readonly onSelect: (selected: number | null) => void;
  /** Enter, on the minute that is pointed at, which began then. */
  readonly onOpen: (minuteMs: number) => void;
}

const FAR = 10;

/** Lies over the drawing: a minute is pointed at, or gone to by the keys of a slider. */
export function MinuteCursor({ layout, readings, selected, onSelect, onOpen }: MinuteCursorProps) {
  const last = readings.length - 1;
  const shown = readings[selected ?? last];
  const select = (index: number): void => onSelect(Math.min(Math.max(index, 0), last));
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const pointedMs = layout.x.invert(event.clientX - left);
    select(Math.round((pointedMs - (readings[0]?.minuteMs ?? 0)) / MINUTE_MS) - 1);
  };
  const follow = (event: PointerEvent<HTMLDivElement>): void => {
    // One that was pressed stays, so that a pointer can leave it for the button.
    const isPinned = selected !== null && document.activeElement === event.currentTarget;
    if (!isPinned || event.buttons !== 0) point(event);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && shown) onOpen(shown.minuteMs);
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
      aria-valuetext={shown && readingWords(shown)}
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
      {selected !== null && shown && <CursorLine layout={layout} reading={shown} />}
    </div>
  );
}

/** Null: none; undefined: the key means nothing here. */
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

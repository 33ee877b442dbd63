import { useState } from 'react';
import { bucketOf } from '../../model/series/minute.ts';
import type { DeskView } from '../desk-view.ts';
import { staleSinceMs } from '../stale-since.ts';

/** Keeps the same view until something that the curve draws changes; figures change every ten seconds. */
export function useDrawnView(view: DeskView): DeskView {
  const key = drawnKey(view);
  const [drawn, setDrawn] = useState({ key, view });
  if (drawn.key === key) return drawn.view;
  setDrawn({ key, view });
  return view;
}

export function drawnKey(view: DeskView): string {
  const { state, minutes, log, replay } = view;
  const staleMs = staleSinceMs(view);
  const { times, total, forecast, marks, rows } = state;
  return JSON.stringify([
    state.eventId,
    state.timeZone,
    bucketOf(state.nowMs),
    staleMs === null ? null : bucketOf(staleMs),
    replay?.atMs,
    minutes.length,
    minutes[0]?.minuteMs,
    minutes.at(-1)?.minuteMs,
    log.at(-1)?.seq,
    times,
    forecast.kind,
    total.valid,
    total.capacity,
    marks.length,
    rows.length,
  ]);
}

import { positionOf } from '../../../domain/live-message.ts';
import { shortTimelineOf } from '../../../domain/log-position.ts';
import { openScreen, type Screen, type ScreenOptions } from '../../../testing/browser/screen.ts';

/** A screen that records whose counts it has displayed, by the timelines of the primaries. */
export interface TimelineScreen extends Screen {
  /** The displayed timelines in order: `1`, `2`, or `R1` once an operator has returned to timeline 1. */
  readonly timelines: readonly string[];
  /** The timelines that were displayed as live, in order. */
  readonly liveTimelines: readonly string[];
}

export function openTimelineScreen(
  url: string,
  options: Omit<ScreenOptions, 'onChange'> = {},
): TimelineScreen {
  const timelines: string[] = [];
  const liveTimelines: string[] = [];
  const screen = openScreen(url, {
    ...options,
    onChange({ shown, status }) {
      const timeline = shown && timelineOf(shown.id);
      if (timeline === undefined) return;
      if (timeline !== timelines.at(-1)) timelines.push(timeline);
      if (status.kind === 'live' && timeline !== liveTimelines.at(-1)) liveTimelines.push(timeline);
    },
  });
  return Object.assign(screen, { timelines, liveTimelines });
}

/** Returns the timeline in the ID of a state, which must have one digit. */
function timelineOf(id: string): string {
  const timeline = shortTimelineOf(positionOf(id)).split('.')[1] ?? '';
  return (timeline.startsWith('R') ? 'R' : '') + timeline.slice(-1);
}

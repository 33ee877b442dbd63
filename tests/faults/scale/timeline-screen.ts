import { positionOf } from '../../../domain/live-message.ts';
import { shortTimelineOf } from '../../../domain/log-position.ts';
import { openScreen, type Screen, type ScreenOptions } from '../../../testing/browser/screen.ts';

/** A screen that tells which primaries it has shown. */
export interface TimelineScreen extends Screen {
  /** Those that it has shown, in their order: `1`, `2`, or `R1` where an operator has gone back to it. */
  readonly timelines: readonly string[];
  /** Those that it has shown as live. */
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

/** Of the state with this id; of timelines of one digit. */
function timelineOf(id: string): string {
  const timeline = shortTimelineOf(positionOf(id)).split('.')[1] ?? '';
  return (timeline.startsWith('R') ? 'R' : '') + timeline.slice(-1);
}

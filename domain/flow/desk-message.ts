import type { DeskState } from './desk-state.ts';
import type { Minute } from './minute.ts';

/**
 * The messages of a desk's stream, as server-sent events. It starts with `build`, as the wall's (live-message.ts); then
 * `desk` every DESK_INTERVAL_MS, the first at once, and `minute` as each becomes known. A desk that was too slow for a
 * minute finds out by the state's `lastMinuteMs`. `sentAtMs` is the server's monotonic clock.
 */
export type DeskMessage =
  | { readonly event: 'desk'; readonly sentAtMs: number; readonly data: DeskState }
  | { readonly event: 'minute'; readonly data: Minute };

export const DESK_INTERVAL_MS = 1_000;

/** The text of one server-sent event, with the blank line that ends it. */
export function encodeDeskMessage(message: DeskMessage): string {
  const data = message.event === 'desk' ? { ...message.data, sentAtMs: message.sentAtMs } : message.data;
  return `event: ${message.event}\ndata: ${JSON.stringify(data)}\n\n`;
}

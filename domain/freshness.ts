/**
 * The delay budget: what a screen displays as live was committed LIVE_AGE_MS ago at most, whatever the link to it is like.
 * The server may take SOURCE_AGE_MS of it, with the relay of a fleet; the rest is for the way to the page, and for the page's
 * own clock tick.
 */
export const LIVE_AGE_MS = 7_000;
export const SOURCE_AGE_MS = 3_000;
/** How often a page compares the age of its newest message with the budget. */
export const PAGE_TICK_MS = 500;
/** A page that displays something as live has a message that was sent so long ago, or later. */
export const PAGE_AGE_MS = LIVE_AGE_MS - SOURCE_AGE_MS - PAGE_TICK_MS;
/** Two heartbeats fit into PAGE_AGE_MS: one that is late makes no page stale. */
export const HEARTBEAT_INTERVAL_MS = 1_500;

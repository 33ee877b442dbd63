/**
 * The delay budget, and every limit that decides whether counts are trusted and which of two are the later ones. Each is
 * derived from the budget or from another limit; a limit that only decides when something is tried again is not here.
 *
 *   what is live was committed at most                        LIVE_AGE_MS      7 s
 *   ├ as the counts leave the server                          SOURCE_AGE_MS    3 s
 *   │  ├ a source, which looks every SOURCE_TICK_MS           SOURCE_STALE_MS  2.75 s
 *   │  └ an edge, which looks every RELAY_TICK_MS             RELAY_STALE_MS   2.9 s
 *   ├ on the way to the page                                  PAGE_AGE_MS      3.5 s
 *   └ until the page looks                                    PAGE_TICK_MS     0.5 s
 *
 * A live source may have counts at an earlier position than the one that is displayed. After SOURCE_AGE_MS a page is stale,
 * as no live source is further behind. After LIVE_AGE_MS a page takes them for the truth, and an edge takes their counter for
 * one of an older copy: everything that was displayed that long ago is in the counts of every live source by now, which may
 * have been published COUNTS_VALID_MS ago.
 */

/** Numbers that a screen displays as live were committed at most this long ago, however slow its link is. */
export const LIVE_AGE_MS = 7_000;
/** The server's part, with the relay of a fleet; the rest is for the way to the page, and for the page's own clock tick. */
export const SOURCE_AGE_MS = 3_000;

/** How often a source compares the age of its counts with SOURCE_STALE_MS. */
export const SOURCE_TICK_MS = 250;
/** Counts that were verified longer ago are stale. */
export const SOURCE_STALE_MS = SOURCE_AGE_MS - SOURCE_TICK_MS;
/** How often a source verifies them: one that takes as long again makes no board stale. */
export const SOURCE_CHECK_MS = 1_000;

/** How often an edge compares the age of what it passes on with RELAY_STALE_MS. */
export const RELAY_TICK_MS = 100;
export const RELAY_STALE_MS = SOURCE_AGE_MS - RELAY_TICK_MS;
/**
 * An answer counts for so long after its question, and longer by the round trip where links are slow, up to RELAY_STALE_MS: a
 * counter that is lost is so for the edge within a second.
 */
export const ANSWER_VALID_MS = 1_000 - RELAY_TICK_MS;
/** How often an edge asks its counters. */
export const ASK_EVERY_MS = 250;
/** Every counter has had the time to answer one of two questions. */
export const ALL_ANSWERED_MS = 2 * ASK_EVERY_MS;
/** How often a counter publishes counts that do not change. */
export const PUBLISH_EVERY_MS = 1_000;
/** A counter whose counts were last seen longer ago has none: one message of two may be lost. */
export const COUNTS_VALID_MS = 2 * PUBLISH_EVERY_MS;

/** How often a page compares the age of its newest message with the budget. */
export const PAGE_TICK_MS = 500;
/** A page that displays something as live has a message that was sent this long ago, or later. */
export const PAGE_AGE_MS = LIVE_AGE_MS - SOURCE_AGE_MS - PAGE_TICK_MS;
/** Two heartbeats fit into PAGE_AGE_MS: one that is late makes no page stale. */
export const HEARTBEAT_INTERVAL_MS = 1_500;
/** A message that was longer under way is too old to be live before the next one comes. */
export const MESSAGE_LATE_MS = PAGE_AGE_MS - HEARTBEAT_INTERVAL_MS;
/** A stream that brings nothing for longer is given up: it lacks three heartbeats. */
export const STREAM_SILENT_MS = 3 * HEARTBEAT_INTERVAL_MS + PAGE_TICK_MS;

import type postgres from 'postgres';
import { expect } from 'vitest';
import { positionOf } from '../../../domain/live-message.ts';
import { formatPosition, isEarlier, type LogPosition, shortPosition } from '../../../domain/log-position.ts';
import { type DisplayedState, openScreen, type Screen } from '../../../testing/browser/screen.ts';

/** A screen, with the ids of all states that it was sent, in their order. */
export interface WatchedScreen extends Screen {
  readonly ids: readonly string[];
}

export function openWatchedScreen(url: string, certificate?: string): WatchedScreen {
  const ids: string[] = [];
  const screen = openScreen(url, {
    certificate,
    onReceived({ shown }) {
      if (shown && shown.id !== ids.at(-1)) ids.push(shown.id);
    },
  });
  return Object.assign(screen, { ids });
}

/** Invariants 3 and 5: no state is of an earlier position than the one before it. */
export function expectInOrder({ ids }: WatchedScreen): void {
  const backwards = ids.filter((id, n) => isEarlier(positionOf(id), positionOf(ids[n - 1] ?? id)));
  expect(backwards).toEqual([]);
}

/** Returns a position in the log after which every later commit stands. */
export async function positionNow(admin: postgres.Sql): Promise<LogPosition> {
  const [{ system, timeline, lsn }] = await admin<[{ system: string; timeline: string; lsn: string }]>`
    select (select system_identifier::text from pg_control_system()) as system,
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline,
      (pg_current_wal_insert_lsn() - '0/0')::text as lsn`;
  return shortPosition(formatPosition(system, Number.parseInt(timeline, 16), BigInt(lsn)));
}

/** Whether a screen is live by a state that was committed since. */
export function isLiveSince({ live, board: { shown } }: Screen, position: LogPosition): boolean {
  return live && shown !== undefined && isEarlier(position, positionOf(shown.id));
}

/** A screen or a desk, by when it was live. */
interface Watched {
  readonly displayed: readonly Pick<DisplayedState, 'atMs' | 'live'>[];
}

/** How long a screen was not live from then on, by what it displayed. */
export function staleMsSince({ displayed }: Screen, atMs: number): number {
  const shown = displayed.filter((one) => one.atMs > atMs);
  const spells = shown.map(({ live, atMs: fromMs }, index) =>
    live ? 0 : (shown[index + 1]?.atMs ?? performance.now()) - fromMs,
  );
  return spells.reduce((sum, ms) => sum + ms, 0);
}

/** The longest that one of them was without live numbers from then on. */
export function longestStaleMs(watched: readonly Watched[], sinceMs: number): number {
  return Math.max(0, ...watched.map((one) => staleSpellMs(one, sinceMs)));
}

function staleSpellMs({ displayed }: Watched, sinceMs: number): number {
  const before = displayed.findLast(({ atMs }) => atMs <= sinceMs);
  let staleSinceMs = before?.live === false ? sinceMs : undefined;
  let longestMs = 0;
  for (const { live, atMs } of displayed.filter((one) => one.atMs > sinceMs)) {
    if (live) longestMs = Math.max(longestMs, atMs - (staleSinceMs ?? atMs));
    staleSinceMs = live ? undefined : (staleSinceMs ?? atMs);
  }
  return Math.max(longestMs, performance.now() - (staleSinceMs ?? Infinity));
}

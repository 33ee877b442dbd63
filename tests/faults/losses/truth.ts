import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { positionOf } from '../../../domain/live-message.ts';
import { shortTimelineOf } from '../../../domain/log-position.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import type { DisplayedState } from '../../../testing/browser/screen.ts';
import type { TestDatabase } from '../../../testing/database/database.ts';
import { type Commit, TotalHistory } from '../../../testing/database/oracle.ts';
import type { FlowSpeed } from '../../../testing/desk/recorded-flow.ts';
import { openTicketHistory, type RecountedMinute } from '../../../testing/sources/ticket-history.ts';

/** What a primary held that was left. */
export interface Former {
  readonly timeline: string;
  /** By `performance.now()`: from then on nobody may display it as live. */
  readonly leftByMs: number;
  readonly oracle: TotalHistory;
  readonly minutes: readonly RecountedMinute[];
}

/** Reads it once nobody writes there any more. `fromMs`: of the minutes, in flow time. */
export async function readFormer(
  database: TestDatabase,
  clock: FlowSpeed,
  { fromMs, toMs, ...left }: Pick<Former, 'timeline' | 'leftByMs'> & { fromMs: number; toMs: number },
): Promise<Former> {
  const history = openTicketHistory(database);
  const oracle = new TotalHistory();
  oracle.add(await history.commits());
  const minutes = await history.recount({
    eventId: DEFAULT_EVENT_ID,
    rows: DEFAULT_VENUE.sectors,
    // The minute before tells what its own primary held as the first one began.
    fromMs: Math.floor(fromMs / MINUTE_MS) * MINUTE_MS - MINUTE_MS,
    toMs,
    clock,
  });
  return { ...left, oracle, minutes };
}

/** What was ever committed: in the database that leads, and in former primaries as long as somebody knew of no later one. */
export class Truth {
  readonly oracle = new TotalHistory();
  readonly formers: Former[] = [];

  /** Of other writers than those before. */
  add(commits: readonly Commit[]): void {
    this.oracle.add(commits);
  }

  /** What was displayed as live, and was not the total of its primary at an instant of the 7 s before, or of one to be left. */
  wrong(displayed: readonly DisplayedState[]): DisplayedState[] {
    const wrong = new Set(this.oracle.violationsOf(displayed));
    for (const { timeline, leftByMs, oracle } of this.formers) {
      const wrongThere = new Set(oracle.violationsOf(displayed));
      for (const [index, state] of displayed.entries()) {
        if (!state.live || state.id === undefined) continue;
        if (shortTimelineOf(positionOf(state.id)) !== timeline) continue;
        const untilMs = displayed[index + 1]?.atMs ?? performance.now();
        if (untilMs > leftByMs) wrong.add(state);
        else if (!wrongThere.has(state)) wrong.delete(state);
      }
    }
    return [...wrong];
  }
}

import type { Counts } from '../../domain/event-state.ts';
import type { LiveState } from '../../page/live-state.ts';
import { watchForContradictions } from '../database/oracle.ts';
import { serveRpc } from '../server/rpc.ts';
import { openScreen, type Screen } from './screen.ts';
import { unixNow } from '../until.ts';

/** The process of many screens (screen-herd.ts). */

export interface Opening {
  readonly url: string;
  readonly count: number;
}

/** The displayed states of the process's screens. */
export interface Look {
  readonly live: number;
  /** The least total of a screen. */
  readonly leastTotal: number;
  /** The different counts. */
  readonly counts: readonly (Counts | undefined)[];
  readonly ids: readonly string[];
}

/** When screens of this process first and last displayed a state as live, in Unix milliseconds. */
export interface ShownAsLive {
  readonly total: number;
  readonly firstMs: number;
  lastMs: number;
}

let screens: readonly Screen[] = [];
const shown = new Map<string, ShownAsLive>();
const violations: string[] = [];

serveRpc({
  open({ url, count }: Opening) {
    for (const screen of screens) screen.close();
    screens = Array.from({ length: count }, () => openWatched(url));
  },
  look: (): Look => ({
    live: screens.filter(({ live }) => live).length,
    leastTotal: Math.min(...screens.map(({ total = 0 }) => total)),
    counts: unique(screens.map(({ board }) => board.shown?.counts)),
    ids: [...new Set(screens.map(({ board }) => board.shown?.id ?? ''))],
  }),
  shown: () => [...shown.values()],
  violations: () => violations,
});

function openWatched(url: string): Screen {
  const watch = watchForContradictions((violation) => violations.push(violation));
  let before: LiveState | undefined;
  return openScreen(url, {
    keepsHistory: false,
    onChange(board) {
      watch(board);
      if (before) note(before);
      note(board);
      before = board;
    },
  });
}

/** Records that a state is displayed now. */
function note({ status, shown: state }: LiveState): void {
  if (status.kind !== 'live' || !state) return;
  const { id, counts } = state;
  const { total } = counts;
  const atMs = unixNow();
  const before = shown.get(id);
  if (before) before.lastMs = atMs;
  else shown.set(id, { total, firstMs: atMs, lastMs: atMs });
}

function unique(all: readonly (Counts | undefined)[]): (Counts | undefined)[] {
  return [...new Map(all.map((counts) => [JSON.stringify(counts), counts])).values()];
}

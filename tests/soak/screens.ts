import type { Counts } from '../../domain/event-state.ts';
import { type Network, startNetwork } from '../../testing/server/network.ts';
import { type TotalHistory, watchForViolations } from '../../testing/database/oracle.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import type { System } from './system.ts';

/** Open screens whose displayed counts are checked. Some of them connect through networks that can be cut. */
export interface Screens {
  readonly count: number;
  readonly live: number;
  readonly framesReceived: number;
  /** The counts that a screen displayed and must not have displayed (watchForViolations). */
  readonly violations: readonly string[];
  readonly networks: readonly Network[];
  /** Returns how many screens are not live, or display other counts. */
  countWrong(counts: Counts): number;
}

const NETWORKS = 5;
/** Every tenth screen connects through a network. */
const SCREENS_PER_CUTTABLE = 10;

export async function openScreens(
  { url, certificate }: Pick<System, 'url' | 'certificate'>,
  count: number,
  history: TotalHistory,
): Promise<Screens> {
  const networks = await Promise.all(Array.from({ length: NETWORKS }, () => startNetwork(url)));
  const violations: string[] = [];
  const screens = Array.from({ length: count }, (_, index) => {
    const network =
      index % SCREENS_PER_CUTTABLE === 0 ? networks[(index / SCREENS_PER_CUTTABLE) % NETWORKS] : undefined;
    return openScreen(network?.url ?? url, {
      certificate,
      keepsHistory: false,
      onChange: watchForViolations(history, (violation) => violations.push(`screen ${index}: ${violation}`)),
    });
  });
  return {
    count,
    get live() {
      return screens.filter(({ live }) => live).length;
    },
    get framesReceived() {
      return screens.reduce((sum, { framesReceived }) => sum + framesReceived, 0);
    },
    violations,
    networks,
    countWrong({ total, sectors, others }) {
      const expected = JSON.stringify({ total, sectors, others });
      return screens.filter(({ board, live }) => !live || JSON.stringify(board.shown?.counts) !== expected)
        .length;
    },
  };
}

import type { Counts } from '../../domain/event-state.ts';
import { type Network, startNetwork } from '../../testing/server/network.ts';
import { type TotalHistory, watchForViolations } from '../../testing/database/oracle.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import type { System } from './system.ts';

/** All the screens, a few of them behind networks that can be cut; watches what each of them shows. */
export interface Screens {
  readonly count: number;
  readonly live: number;
  readonly framesReceived: number;
  /** What was on a screen and must not have been (watchForViolations). */
  readonly violations: readonly string[];
  readonly networks: readonly Network[];
  /** Screens that are not live with exactly these counts. */
  wrong(counts: Counts): number;
}

const NETWORKS = 5;
/** One screen in so many is behind one of them. */
const BEHIND_A_NETWORK = 10;

export async function openScreens(
  { url, certificate }: Pick<System, 'url' | 'certificate'>,
  count: number,
  history: TotalHistory,
): Promise<Screens> {
  const networks = await Promise.all(Array.from({ length: NETWORKS }, () => startNetwork(url)));
  const violations: string[] = [];
  const screens = Array.from({ length: count }, (_, index) => {
    const network =
      index % BEHIND_A_NETWORK === 0 ? networks[(index / BEHIND_A_NETWORK) % NETWORKS] : undefined;
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
    wrong({ total, sectors, others }) {
      const right = JSON.stringify({ total, sectors, others });
      return screens.filter(({ board, live }) => !live || JSON.stringify(board.shown?.counts) !== right)
        .length;
    },
  };
}

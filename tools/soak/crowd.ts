import { positionOf } from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import { type CrowdScreen, openCrowdScreen } from './crowd-screen.ts';
import type { TotalHistory } from './total-history.ts';
import { startViewerNetwork, type ViewerNetwork } from './viewer-network.ts';
import type { Counts } from '../../domain/event-state.ts';

/** All the screens, a few of them behind networks that can be cut; judges what each of them shows. */
export interface Crowd {
  readonly size: number;
  readonly live: number;
  readonly framesReceived: number;
  /** Lies: shown as live, and not the committed total of any instant of the last 15 s; or out of order. */
  readonly lies: readonly string[];
  readonly networks: readonly ViewerNetwork[];
  /** Screens that are not live with exactly these counts. */
  wrong(counts: Counts): number;
  close(): void;
}

const NETWORKS = 5;
/** One screen in so many is behind one of them. */
const BEHIND_A_NETWORK = 10;

export async function openCrowd(url: string, size: number, history: TotalHistory): Promise<Crowd> {
  const networks = await Promise.all(Array.from({ length: NETWORKS }, () => startViewerNetwork(url)));
  const lies: string[] = [];
  const screens = Array.from({ length: size }, (_, index) => {
    const network =
      index % BEHIND_A_NETWORK === 0 ? networks[(index / BEHIND_A_NETWORK) % NETWORKS] : undefined;
    return openJudgedScreen(network?.url ?? url, history, (lie) => lies.push(`screen ${index}: ${lie}`));
  });
  return {
    size,
    get live() {
      return screens.filter(({ live }) => live).length;
    },
    get framesReceived() {
      return screens.reduce((sum, { framesReceived }) => sum + framesReceived, 0);
    },
    lies,
    networks,
    wrong({ total, sectors, others }) {
      const right = JSON.stringify({ total, sectors, others });
      return screens.filter(({ board, live }) => !live || JSON.stringify(board.shown?.admissions) !== right)
        .length;
    },
    close() {
      for (const screen of screens) screen.close();
      for (const network of networks) network.close();
    },
  };
}

function openJudgedScreen(url: string, history: TotalHistory, onLie: (lie: string) => void): CrowdScreen {
  let last: string | undefined;
  return openCrowdScreen(url, ({ shown, status }) => {
    if (!shown || status.kind !== 'live') return;
    const { id, admissions } = shown;
    const { total, sectors, others } = admissions;
    if (!history.mayBeLive(total)) onLie(`${total} shown as live`);
    const sum = Object.values(sectors).reduce((whole, count) => whole + count, others);
    if (sum !== total) onLie(`${total} shown as the sum of ${sum}`);
    if (last !== undefined && isEarlier(positionOf(id), positionOf(last))) onLie(`${id} shown after ${last}`);
    last = id;
  });
}

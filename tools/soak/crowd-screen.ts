import { advance, type BoardEvent, type BoardState, INITIAL_BOARD } from '../../web/live/board-state.ts';
import { connect } from '../../web/live/connection.ts';
import { pageClock, TICK_MS } from '../../web/live/freshness.ts';
import { createLightFetch } from './light-fetch.ts';

/** One of hundreds of screens in a process: the page's own logic, without a browser. */
export interface CrowdScreen {
  readonly board: BoardState;
  readonly live: boolean;
  /** Counts messages that it has taken in. */
  readonly framesReceived: number;
  close(): void;
}

/** `onShown`: called whenever it shows another number, or another status. */
export function openCrowdScreen(url: string, onShown: (board: BoardState) => void = () => {}): CrowdScreen {
  const { fetch, close } = createLightFetch(url);
  let board = INITIAL_BOARD;
  let framesReceived = 0;
  const tell = (event: BoardEvent): void => {
    const before = board;
    board = advance(before, event, pageClock());
    if (board.shown !== before.shown || board.status.kind !== before.status.kind) onShown(board);
  };
  const connection = connect({
    fetch,
    clock: pageClock,
    random: Math.random,
    on: {
      signedIn() {
        tell({ type: 'signed-in' });
        return true;
      },
      opened: () => tell({ type: 'opened' }),
      closed: () => tell({ type: 'closed' }),
      received(messages) {
        for (const { event } of messages) if (event === 'counts') framesReceived += 1;
        tell({ type: 'received', messages });
      },
    },
  });
  const ticking = setInterval(() => {
    tell({ type: 'ticked' });
    connection.checkSilence();
  }, TICK_MS);
  return {
    get board() {
      return board;
    },
    get live() {
      return board.status.kind === 'live';
    },
    get framesReceived() {
      return framesReceived;
    },
    close() {
      clearInterval(ticking);
      connection.stop();
      close();
    },
  };
}

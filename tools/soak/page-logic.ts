import type { LiveMessage, VenueClock } from '../../domain/live-message.ts';
import { advance, type BoardEvent, type BoardState, INITIAL_BOARD } from '../../web/live/board-state.ts';
import { connect } from '../../web/live/connection.ts';
import { type Clock, pageClock, TICK_MS } from '../../web/live/freshness.ts';
import { followVenueClock } from '../../web/live/venue-clock.ts';

/** The page's own logic, of `web/live`, without a browser: it signs in, follows the stream, judges, reconnects. */
export interface PageLogic {
  readonly board: BoardState;
  /** Whether the numbers are shown as live. */
  readonly live: boolean;
  /** What the clock beside "ao vivo" shows now. */
  readonly venueClock: VenueClock | undefined;
  close(): void;
}

export function runPageLogic(options: {
  /** As a browser's: relative to the page's address, with the cookies of its origin. */
  readonly fetch: typeof fetch;
  /** The page's clock: another one may jump, or stand still. */
  readonly clock?: Clock;
  readonly onChange: (board: BoardState, before: BoardState) => void;
  readonly onReceived?: (messages: readonly LiveMessage[]) => void;
}): PageLogic {
  const { fetch, clock = pageClock, onChange, onReceived = () => {} } = options;
  const venueClock = followVenueClock();
  let board = INITIAL_BOARD;
  const tell = (event: BoardEvent): void => {
    const before = board;
    board = advance(before, event, clock());
    if (board !== before) onChange(board, before);
  };
  const connection = connect({
    fetch,
    clock,
    random: Math.random,
    on: {
      signedIn() {
        tell({ type: 'signed-in' });
        return true;
      },
      opened(calledAt) {
        venueClock.opened(calledAt);
        tell({ type: 'opened' });
      },
      closed: () => tell({ type: 'closed' }),
      received(messages) {
        onReceived(messages);
        venueClock.received(messages, clock());
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
    get venueClock() {
      return venueClock.read(clock());
    },
    close() {
      clearInterval(ticking);
      connection.stop();
    },
  };
}

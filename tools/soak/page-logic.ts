import { decodeLiveMessage, type LiveMessage, type VenueClock } from '../../domain/live-message.ts';
import { connect } from '../../web/live/connection/connection.ts';
import { INITIAL_STATE, type LiveEvent, type LiveState, reduce } from '../../web/live/live-state.ts';
import { type Clock, pageClock, TICK_MS } from '../../web/live/trust/freshness.ts';
import { followVenueClock } from '../../web/live/trust/venue-clock.ts';

/** The page's own logic, of `web/live`, without a browser: it signs in, follows the stream, judges, reconnects. */
export interface PageLogic {
  readonly board: LiveState;
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
  readonly onChange: (board: LiveState, before: LiveState) => void;
  readonly onReceived?: (messages: readonly LiveMessage[]) => void;
}): PageLogic {
  const { fetch, clock = pageClock, onChange, onReceived = () => {} } = options;
  const venueClock = followVenueClock();
  let board = INITIAL_STATE;
  const dispatch = (event: LiveEvent): void => {
    const before = board;
    board = reduce(before, event, clock());
    if (board !== before) onChange(board, before);
  };
  const connection = connect({
    fetch,
    clock,
    random: Math.random,
    decode: decodeLiveMessage,
    on: {
      signedIn() {
        dispatch({ type: 'signed-in' });
        return true;
      },
      opened(calledAt) {
        venueClock.opened(calledAt);
        dispatch({ type: 'opened' });
      },
      closed: () => dispatch({ type: 'closed' }),
      received(messages) {
        onReceived(messages);
        venueClock.received(messages, clock());
        dispatch({ type: 'received', messages });
      },
    },
  });
  const ticking = setInterval(() => {
    dispatch({ type: 'ticked' });
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

import type { LiveMessage, VenueClock } from '../domain/live-message.ts';
import { advance, type BoardEvent, type BoardState, INITIAL_BOARD } from '../web/live/board-state.ts';
import { connect } from '../web/live/connection.ts';
import { type Clock, pageClock, TICK_MS } from '../web/live/freshness.ts';
import { followVenueClock } from '../web/live/venue-clock.ts';
import { closeOnce } from './close-once.ts';
import { createLightFetch } from './light-fetch.ts';
import { unhinderedNow } from './unhindered-time.ts';

/** The page's own logic, of `web/live`, without a browser: it signs in, follows the stream, judges, reconnects. */
export interface Screen {
  readonly board: BoardState;
  /** Whether the numbers are shown as live. */
  readonly live: boolean;
  /** What the clock beside "ao vivo" shows now. */
  readonly venueClock: VenueClock | undefined;
  /** How many states of the counts it has been sent. */
  readonly framesReceived: number;
  /** Everything that it has displayed, unless it keeps no history. */
  readonly displayed: readonly DisplayedState[];
  close(): void;
}

/** What a screen displayed, from one instant of `performance.now()` on. */
export interface DisplayedState {
  readonly atMs: number;
  /** The same, by `unhinderedNow`. */
  readonly unhinderedMs: number;
  /** Whether the numbers were shown as live. */
  readonly live: boolean;
  readonly total: number | undefined;
}

export interface ScreenOptions {
  /** The page's clock: another one may jump, or stand still. */
  readonly clock?: Clock;
  /** Called whenever it displays other numbers, or another status. */
  readonly onChange?: (board: BoardState) => void;
  /** False for one of hundreds in a process. */
  readonly keepsHistory?: boolean;
}

export function openScreen(url: string, options: ScreenOptions = {}): Screen {
  const { clock = pageClock, onChange = () => {}, keepsHistory = true } = options;
  const network = createLightFetch(url);
  const venueClock = followVenueClock();
  const displayed: DisplayedState[] = [];
  let board = INITIAL_BOARD;
  let framesReceived = 0;
  const tell = (event: BoardEvent): void => {
    const before = board;
    board = advance(before, event, clock());
    if (board.shown === before.shown && board.status.kind === before.status.kind) return;
    if (keepsHistory) {
      displayed.push({
        atMs: performance.now(),
        unhinderedMs: unhinderedNow(),
        live: board.status.kind === 'live',
        total: board.shown?.admissions.total,
      });
    }
    onChange(board);
  };
  const connection = connect({
    fetch: network.fetch,
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
      received(messages: readonly LiveMessage[]) {
        framesReceived += messages.filter(({ event }) => event === 'counts').length;
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
    get framesReceived() {
      return framesReceived;
    },
    displayed,
    close: closeOnce(() => {
      clearInterval(ticking);
      connection.stop();
      network.close();
    }),
  };
}

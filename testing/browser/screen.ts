import { PAGE_TICK_MS } from '../../domain/freshness.ts';
import { liveMessageDecoder, type LiveMessage, type VenueClock } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { connect } from '../../page/connection/connection.ts';
import { countsUrl, signIn } from '../../page/connection/sign-in.ts';
import { INITIAL_STATE, isOfFormer, type LiveEvent, type LiveState, reduce } from '../../page/live-state.ts';
import { type Clock, pageClock } from '../../page/trust/page-clock.ts';
import { followVenueClock } from '../../page/trust/venue-clock.ts';
import { closeOnce } from '../close-once.ts';
import { createLightFetch } from './light-fetch.ts';
import { unhinderedNow } from '../until.ts';

/** Runs the logic of `page` without a browser: it signs in, follows the stream, decides about trust, reconnects. */
export interface Screen {
  readonly board: LiveState;
  /** Whether the numbers are displayed as live. */
  readonly live: boolean;
  readonly total: number | undefined;
  /** The epoch of the displayed counts. */
  readonly epoch: string | undefined;
  /** The clock beside "ao vivo". */
  readonly venueClock: VenueClock | undefined;
  /** The number of counts received. */
  readonly framesReceived: number;
  /** All displayed states, if the screen keeps its history. */
  readonly displayed: readonly DisplayedState[];
  close(): void;
}

/** The state that a screen displayed from `atMs` of `performance.now()` on. */
export interface DisplayedState {
  readonly atMs: number;
  /** The same, by `unhinderedNow`. */
  readonly unhinderedMs: number;
  /** Whether the numbers were displayed as live. */
  readonly live: boolean;
  readonly total: number | undefined;
  /** Of the state, as it was sent. */
  readonly id?: string | undefined;
}

export interface ScreenOptions {
  /** The host name of the requests, by default the address. */
  readonly host?: string;
  /** The self-signed certificate of an `https:` server. */
  readonly certificate?: string | undefined;
  /** The page's clock; a test's clock may jump or stand still. */
  readonly clock?: Clock;
  /** Called whenever the displayed numbers or the status change. */
  readonly onChange?: (board: LiveState) => void;
  /** Called with the state after these messages. */
  readonly onReceived?: (board: LiveState, messages: readonly LiveMessage[]) => void;
  /** False for one of hundreds in a process. */
  readonly keepsHistory?: boolean;
}

export function openScreen(url: string, options: ScreenOptions = {}): Screen {
  const {
    host,
    certificate,
    clock = pageClock,
    onChange = () => {},
    onReceived = () => {},
    keepsHistory = true,
  } = options;
  const network = createLightFetch(url, { host, certificate });
  const venueClock = followVenueClock();
  const displayed: DisplayedState[] = [];
  let board = INITIAL_STATE;
  let framesReceived = 0;
  let decode = liveMessageDecoder(SECTOR_CODES);
  const dispatch = (event: LiveEvent): void => {
    const before = board;
    board = reduce(before, event, clock());
    if (board.shown === before.shown && board.status.kind === before.status.kind) return;
    if (keepsHistory) {
      displayed.push({
        atMs: performance.now(),
        unhinderedMs: unhinderedNow(),
        live: board.status.kind === 'live',
        total: board.shown?.counts.total,
        id: board.shown?.id,
      });
    }
    onChange(board);
  };
  const connection = connect({
    fetch: network.fetch,
    clock,
    random: Math.random,
    signIn,
    streamUrl: (session, paceMs) => countsUrl(session, paceMs, board.seen),
    decode: (...message) => decode(...message),
    isOfFormer: () => isOfFormer(board),
    on: {
      signInFailed() {},
      signedIn({ venue }) {
        decode = liveMessageDecoder(venue?.sectors.map(({ code }) => code) ?? SECTOR_CODES);
        dispatch({ type: 'venue', venue });
        dispatch({ type: 'signed-in' });
        return true;
      },
      opened(calledAt) {
        venueClock.opened(calledAt);
        dispatch({ type: 'opened' });
      },
      closed: () => dispatch({ type: 'closed' }),
      received(messages: readonly LiveMessage[], sentAt) {
        framesReceived += messages.filter(({ event }) => event === 'counts').length;
        venueClock.received(messages, clock());
        dispatch({ type: 'received', messages, sentAt });
        onReceived(board, messages);
      },
    },
  });
  const ticking = setInterval(() => {
    dispatch({ type: 'ticked' });
    connection.check();
  }, PAGE_TICK_MS);
  return {
    get board() {
      return board;
    },
    get live() {
      return board.status.kind === 'live';
    },
    get total() {
      return board.shown?.counts.total;
    },
    get epoch() {
      return board.shown?.id.split(':')[0];
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

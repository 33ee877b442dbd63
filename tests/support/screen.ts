import { advance, type BoardEvent, type BoardState, INITIAL_BOARD } from '../../web/live/board-state.ts';
import { createStore } from '../../web/live/board-store.ts';
import { connect } from '../../web/live/connection.ts';
import { type Clock, pageClock, TICK_MS } from '../../web/live/freshness.ts';

/** What a screen showed, at one instant of `performance.now()`. */
export interface Showing {
  readonly atMs: number;
  /** Whether the numbers were shown as live. */
  readonly live: boolean;
  readonly total: number | undefined;
}

/** The page's own logic, of `web/live`, without a browser: it signs in, follows the stream, judges, reconnects. */
export interface Screen {
  readonly board: BoardState;
  readonly live: boolean;
  /** Every change of what it shows. */
  readonly showings: readonly Showing[];
  close(): void;
}

export interface ScreenOptions {
  /** The page's clock: another one may jump, or stand still. */
  readonly clock?: Clock;
  /** Called with every change of what the screen shows. */
  readonly onShowing?: (showing: Showing) => void;
}

export function openScreen(url: string, options: ScreenOptions = {}): Screen {
  const { clock = pageClock, onShowing } = options;
  const store = createStore(INITIAL_BOARD);
  const showings: Showing[] = [];
  store.subscribe(() => {
    const { status, shown } = store.get();
    const showing = { atMs: performance.now(), live: status.kind === 'live', total: shown?.admissions.total };
    showings.push(showing);
    onShowing?.(showing);
  });
  const tell = (event: BoardEvent): void => store.set(advance(store.get(), event, clock()));
  const connection = connect({
    fetch: fetchWithCookies(url),
    clock,
    random: Math.random,
    on: {
      signedIn() {
        tell({ type: 'signed-in' });
        return true;
      },
      opened: () => tell({ type: 'opened' }),
      closed: () => tell({ type: 'closed' }),
      received: (messages) => tell({ type: 'received', messages }),
    },
  });
  const ticking = setInterval(() => {
    tell({ type: 'ticked' });
    connection.checkSilence();
  }, TICK_MS);
  return {
    get board() {
      return store.get();
    },
    get live() {
      return store.get().status.kind === 'live';
    },
    showings,
    close() {
      clearInterval(ticking);
      connection.stop();
    },
  };
}

/** As a browser's: relative to the page's address, with the cookies of its origin. */
function fetchWithCookies(url: string): typeof fetch {
  let cookie = '';
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (cookie) headers.set('cookie', cookie);
    const response = await fetch(new URL(input instanceof Request ? input.url : input, url), {
      ...init,
      headers,
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return response;
  };
}

import { type PageLogic, runPageLogic } from '../../tools/soak/page-logic.ts';
import type { Clock } from '../../web/live/trust/freshness.ts';
import { unhinderedNow } from './unhindered-time.ts';

/** What a screen showed, at one instant of `performance.now()`. */
export interface Showing {
  readonly atMs: number;
  /** The same, by `unhinderedNow`. */
  readonly unhinderedMs: number;
  /** Whether the numbers were shown as live. */
  readonly live: boolean;
  readonly total: number | undefined;
}

/** A screen that remembers. */
export interface Screen extends PageLogic {
  /** Every change of what it shows. */
  readonly showings: readonly Showing[];
}

export interface ScreenOptions {
  /** The page's clock: another one may jump, or stand still. */
  readonly clock?: Clock;
  /** Called with every change of what the screen shows. */
  readonly onShowing?: (showing: Showing) => void;
}

export function openScreen(url: string, { clock, onShowing }: ScreenOptions = {}): Screen {
  const showings: Showing[] = [];
  const page = runPageLogic({
    fetch: fetchWithCookies(url),
    ...(clock && { clock }),
    onChange({ status, shown }) {
      const showing = {
        atMs: performance.now(),
        unhinderedMs: unhinderedNow(),
        live: status.kind === 'live',
        total: shown?.admissions.total,
      };
      showings.push(showing);
      onShowing?.(showing);
    },
  });
  return {
    get board() {
      return page.board;
    },
    get live() {
      return page.live;
    },
    get venueClock() {
      return page.venueClock;
    },
    showings,
    close: () => page.close(),
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

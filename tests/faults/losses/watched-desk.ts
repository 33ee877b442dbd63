import { decodeDeskMessage, type DeskStreamMessage } from '../../../desk/model/desk-message.ts';
import { isOfFormer, type LiveDesk, NOTHING_YET, reduceDesk } from '../../../desk/page/data/live-desk.ts';
import { PAGE_TICK_MS } from '../../../domain/freshness.ts';
import { connect } from '../../../page/connection/connection.ts';
import { pageClock } from '../../../page/trust/page-clock.ts';
import { createLightFetch } from '../../../testing/browser/light-fetch.ts';
import type { DisplayedState } from '../../../testing/browser/screen.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { DESK_EVENT_PATH, openDesk } from '../../../testing/desk/desk-client.ts';

/** Runs the logic of a desk's page without a browser: it follows the stream, decides about trust, reconnects. */
export interface WatchedDesk {
  /** When it went live or stale. */
  readonly displayed: readonly Pick<DisplayedState, 'atMs' | 'live'>[];
}

/** It ends with the test. */
export async function openWatchedDesk(url: string, key: string): Promise<WatchedDesk> {
  const { cookie } = await openDesk(url, { name: 'Mesa', key });
  const network = createLightFetch(url);
  const displayed: { atMs: number; live: boolean }[] = [];
  let desk: LiveDesk = NOTHING_YET;
  const dispatch = (event: Parameters<typeof reduceDesk>[1]): void => {
    desk = reduceDesk(desk, event, pageClock());
    const live = desk.status.kind === 'live';
    if (displayed.at(-1)?.live !== live) displayed.push({ atMs: performance.now(), live });
  };
  const connection = connect<string, DeskStreamMessage>({
    fetch: (path, init) => network.fetch(path, { ...init, headers: { cookie } }),
    clock: pageClock,
    random: Math.random,
    signIn: () => Promise.resolve({ kind: 'signed-in', session: cookie }),
    streamUrl: () => `${DESK_EVENT_PATH}/live${desk.seen === null ? '' : `?seen=${desk.seen}`}`,
    decode: decodeDeskMessage,
    isOfFormer: () => isOfFormer(desk),
    on: {
      signInFailed() {},
      signedIn: () => true,
      opened: () => dispatch({ type: 'opened' }),
      closed: () => dispatch({ type: 'closed' }),
      received: (messages, sentAt) => dispatch({ type: 'received', messages, sentAt }),
    },
  });
  const ticking = setInterval(() => {
    dispatch({ type: 'ticked' });
    connection.check();
  }, PAGE_TICK_MS);
  closeOnce(() => {
    clearInterval(ticking);
    connection.stop();
    network.close();
  });
  return { displayed };
}

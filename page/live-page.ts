import { type LiveMessage, liveMessageDecoder, type VenueClock } from '../domain/live-message.ts';
import type { ShownVenue } from '../domain/shown-venue.ts';
import { connect } from './connection/connection.ts';
import type { DecodeMessage } from './connection/live-stream.ts';
import { countsUrl, signIn } from './connection/sign-in.ts';
import { atDisplayFrames } from './display-frames.ts';
import { INITIAL_STATE, isOfFormer, type LiveEvent, type LiveState, reduce } from './live-state.ts';
import { isBuildServed, watchNewVersion } from './new-version.ts';
import { createStore, type ReadableStore } from './store.ts';
import { openTabMemory } from './tab-memory.ts';
import { pageClock } from './trust/page-clock.ts';
import { startTicker } from './trust/ticker.ts';
import { followVenueClock } from './trust/venue-clock.ts';
import { keepDisplayAwake } from './wake-lock.ts';

export interface LivePageOptions {
  readonly decode: DecodeMessage<LiveMessage>;
  /** Called once, soon after the first sign-in, with the `fetch` of the document's window. */
  readonly onFirstSignIn: (eventId: string, fetch: typeof globalThis.fetch) => void;
  readonly onMessages: (messages: readonly LiveMessage[]) => void;
}

export interface LivePage {
  /** The state to draw changes at most once in a display frame. */
  readonly state: ReadableStore<LiveState>;
  /** Returns `undefined` until the server has sent its clock. */
  readonly readVenueClock: () => VenueClock | undefined;
}

/**
 * The first numbers usually come this soon after the first sign-in. Until then the table is not drawn without numbers, only
 * to be drawn again at once.
 */
const NUMBERS_AWAITED_MS = 300;

/**
 * Does what every page does beside drawing: it signs in, follows the stream, decides whether its numbers can be trusted,
 * reloads itself for a new build or another event, and keeps the display awake. The root element of `document` names event
 * and build (`data-event`, `data-build`); network, tab and location are those of its window, which must exist.
 */
export function openLivePage(document: Document, options: LivePageOptions): LivePage {
  const window = document.defaultView as Window & typeof globalThis;
  const { build, event } = document.documentElement.dataset;
  const fetch = window.fetch.bind(window);
  const memory = openTabMemory(() => window.sessionStorage);
  const reload = () => window.location.reload();
  // The tab's history keeps `seen`, which outlives a reload.
  const state = createStore<LiveState>({ ...INITIAL_STATE, seen: window.history.state as string | null });
  const venueClock = followVenueClock();
  const dispatch = (live: LiveEvent) => {
    const before = state.get();
    const now = reduce(before, live, pageClock());
    state.set(now);
    if (now.seen !== before.seen) window.history.replaceState(now.seen, '');
  };

  const onBuild = watchNewVersion({
    build,
    isLive: () => state.get().status.kind === 'live',
    random: Math.random,
    isServed: (announced) => isBuildServed(announced, fetch),
    memory,
    reload,
  });

  let isFirstSignIn = true;
  let decode = options.decode;
  const drawRowsOf = (venue: ShownVenue | undefined) => {
    const root = document.documentElement;
    // The default venue has no layout of its own.
    root.dataset['rows'] = venue?.layout.rows ?? '';
    root.style.cssText = venue?.layout.style ?? '';
    decode = venue ? liveMessageDecoder(venue.sectors.map(({ code }) => code)) : options.decode;
    dispatch({ type: 'venue', venue });
  };
  const connection = connect({
    fetch,
    clock: pageClock,
    random: Math.random,
    signIn,
    streamUrl: (session, paceMs) => countsUrl(session, paceMs, state.get().seen),
    decode: (...message) => decode(...message),
    isOfFormer: () => isOfFormer(state.get()),
    on: {
      signInFailed: () => console.error('deu ruim no login'),
      signedIn({ eventId, venue }) {
        // The server has changed its event: its numbers must not stand under the title of another one.
        if (eventId !== event) {
          if (!memory.has(eventId)) {
            memory.add(eventId);
            reload();
          }
          return false;
        }
        // This is the right page. Should the event change to another and back, it may reload again.
        memory.remove(eventId);
        drawRowsOf(venue);
        if (isFirstSignIn) {
          isFirstSignIn = false;
          setTimeout(() => {
            dispatch({ type: 'signed-in' });
            options.onFirstSignIn(eventId, fetch);
          }, NUMBERS_AWAITED_MS);
        }
        return true;
      },
      opened(sentAt) {
        venueClock.opened(sentAt);
        dispatch({ type: 'opened' });
      },
      closed: () => dispatch({ type: 'closed' }),
      received(messages, sentAt) {
        venueClock.received(messages, pageClock());
        dispatch({ type: 'received', messages, sentAt });
        options.onMessages(messages);
        for (const message of messages) if (message.event === 'build') onBuild(message.data.id);
      },
    },
  });
  startTicker(pageClock, document, window, {
    wake: () => dispatch({ type: 'awoke' }),
    tick() {
      dispatch({ type: 'ticked' });
      connection.check();
    },
  });
  window.addEventListener('offline', connection.reconnect);
  keepDisplayAwake(document, window.navigator);
  return { state: atDisplayFrames(state, window), readVenueClock: () => venueClock.read(pageClock()) };
}

import type { VenueClock } from '../../domain/live-message.ts';
import { decodeDeskMessage } from '../model/desk-message.ts';
import { connect } from '../../page/connection/connection.ts';
import { atDisplayFrames } from '../../page/display-frames.ts';
import { isBuildServed, watchNewVersion } from '../../page/new-version.ts';
import { createStore, type ReadableStore } from '../../page/store.ts';
import { openTabMemory } from '../../page/tab-memory.ts';
import { pageClock } from '../../page/trust/page-clock.ts';
import type { Status } from '../../page/trust/status.ts';
import { startTicker } from '../../page/trust/ticker.ts';
import { keepDisplayAwake } from '../../page/wake-lock.ts';
import { loadHistory } from './data/history-loader.ts';
import { hasLoaded, type KeptHistory, NO_HISTORY } from './data/kept-history.ts';
import {
  type DeskEvent,
  isOfFormer,
  type LiveDesk,
  NOTHING_YET,
  readFlowClock,
  readWallClock,
  reduceDesk,
} from './data/live-desk.ts';
import { AnsweredCommands } from './data/missing-commands.ts';
import { isMatchTime } from './data/match-window.ts';
import { createOffsetCache } from './data/offset-cache.ts';
import { createSender } from './data/send-command.ts';
import { type Failure, watchFailures } from './data/watch-failures.ts';
import { forgetKept, hasUnsent } from './actions/kept-state.ts';
import { nameRows, readDisplayedEvent, type DisplayedEvent } from './data/displayed-event.ts';
import type { DeskView, MissingCommand, SendCommand } from './desk-view.ts';
import { formatTimeWithSeconds } from './event-time.ts';
import { type DeskSession, openSession } from './session/desk-session.ts';

/** The state to draw changes at most once in a display frame. */
interface DeskPage {
  /** `undefined` until the first figures and their history have come. */
  readonly view: DeskView | undefined;
  readonly status: Status;
  /** The number of commands under way. */
  readonly pending: number;
  /** A new build that an operator may load. */
  readonly newBuild: string | undefined;
}

export interface OpenDesk {
  readonly page: ReadableStore<DeskPage>;
  readonly session: DeskSession;
  /** Why there is no stream, as far as known. */
  readonly failure: ReadableStore<Failure | undefined>;
  readonly send: SendCommand;
  /** Reads the flow's clock in the time zone of the event; `undefined` before the first state. */
  readonly readClock: () => VenueClock | undefined;
  /** Reloads the page; resolves with false if the new build is not complete yet. */
  readonly loadNewBuild: () => Promise<boolean>;
}

/** The first figures wait at most this long for their history. */
const HISTORY_AWAITED_MS = 3_000;
const EVENT_RETRY_MS = 3_000;
const SESSION_LIMIT_MS = 12_000;

/** Connects the desk of `document`: session, stream, history and commands. The root element names event and build. */
export function openDesk(document: Document): OpenDesk {
  const window = document.defaultView as Window & typeof globalThis;
  const { build, event = '' } = document.documentElement.dataset;
  const fetch = window.fetch.bind(window);
  const memory = openTabMemory(() => window.sessionStorage);
  const reload = () => window.location.reload();
  const url = `/fluxo/api/events/${encodeURIComponent(event)}`;

  const session = openSession(fetch);
  const live = createStore<LiveDesk>({ ...NOTHING_YET, seen: window.history.state as string | null });
  const history = createStore<KeptHistory>(NO_HISTORY);
  const displayedEvent = createStore<DisplayedEvent | undefined>(undefined);
  const page = createStore<DeskPage>({
    view: undefined,
    status: live.get().status,
    pending: 0,
    newBuild: undefined,
  });

  const answered = new AnsweredCommands(() => refresh());
  let missing: readonly MissingCommand[] = [];
  let isHistoryAwaited = true;
  let historyTimer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    const { state, status } = live.get();
    const kept = history.get();
    const displayed = displayedEvent.get();
    const before = page.get();
    const isComplete =
      state !== undefined && displayed !== undefined && (hasLoaded(kept, state) || !isHistoryAwaited);
    if (!isComplete && !before.view) {
      if (before.status !== status) page.set({ ...before, status });
      return;
    }
    if (!state || !displayed) return;
    const codes = state.rows.slice(0, -1).map(({ code }) => code);
    const sectors = nameRows(codes, displayed.sectors);
    const { view } = before;
    const { receivedAt } = live.get();
    if (receivedAt && kept.log.length >= state.lastSeq)
      missing = answered.missingIn(state.record.isUnread ? undefined : kept.log, receivedAt);
    const isSame =
      view?.state === state &&
      view.minutes === kept.minutes &&
      view.log === kept.log &&
      view.status === status &&
      view.sectors === sectors &&
      view.missing === missing;
    if (isSame && before.status === status) return;
    page.set({
      ...before,
      status,
      view: {
        ...displayed,
        state,
        minutes: kept.minutes,
        log: kept.log,
        sectors,
        status,
        missing,
        replay: null,
      },
    });
  };
  for (const store of [live, history, displayedEvent]) store.subscribe(refresh);

  const dispatch = (happened: DeskEvent): void => {
    const { seen } = live.get();
    live.set(reduceDesk(live.get(), happened, pageClock()));
    if (live.get().seen !== seen) window.history.replaceState(live.get().seen, '');
  };

  const announceBuild = watchNewVersion({
    build,
    isLive: () => {
      const { state, status } = live.get();
      return status.kind === 'live' && state !== undefined && !isMatchTime(state) && !isBeingUsed(document);
    },
    random: Math.random,
    isServed: (announced) => isBuildServed(announced, fetch),
    memory,
    reload,
  });

  let isEventAsked = false;
  let eventNotBeforeMs = 0;
  let isEventKnown = false;
  /** A restarted server may have another venue or event. */
  const askEvent = async (): Promise<void> => {
    if (isEventAsked || performance.now() < eventNotBeforeMs) return;
    isEventAsked = true;
    try {
      const displayed = await readDisplayedEvent(fetch);
      isEventKnown = true;
      if (displayed.eventId === event) {
        memory.remove(event);
        if (JSON.stringify(displayed) !== JSON.stringify(displayedEvent.get())) displayedEvent.set(displayed);
      } else if (!memory.has(displayed.eventId)) {
        // Figures of one event must not stand under the title of another, and text for one is of no use to the other.
        memory.add(displayed.eventId);
        forgetKept();
        reload();
      }
    } catch {
      eventNotBeforeMs = performance.now() + EVENT_RETRY_MS;
    } finally {
      isEventAsked = false;
    }
  };

  // A session ends with its event, too: whoever signs in again does so for the one that is displayed now.
  session.state.subscribe(() => {
    if (session.state.get().kind === 'signed-out') void askEvent();
  });

  const loader = loadHistory({ url, fetch, history });
  const watched = watchFailures(fetch);
  const connection = connect({
    fetch: watched.fetch,
    clock: pageClock,
    random: Math.random,
    signIn: session.require,
    streamUrl() {
      const { seen } = live.get();
      return `${url}/live${seen === null ? '' : `?seen=${seen}`}`;
    },
    decode: decodeDeskMessage,
    isOfFormer: () => isOfFormer(live.get()),
    on: {
      signInFailed() {},
      signedIn() {
        void askEvent();
        return true;
      },
      opened() {
        watched.opened();
        isEventKnown = false;
        loader.opened();
        dispatch({ type: 'opened' });
      },
      closed: () => dispatch({ type: 'closed' }),
      received(messages, sentAt) {
        dispatch({ type: 'received', messages, sentAt });
        // The first state shows to which server the minutes belong; earlier ones are read afterwards.
        if (live.get().connection.source && !isOfFormer(live.get()))
          for (const message of messages) if (message.event === 'minute') loader.minuteReceived(message.data);
        const { state, receivedAt } = live.get();
        if (state && receivedAt) loader.follow(state, receivedAt);
        if (!isEventKnown) void askEvent();
        for (const message of messages) {
          if (message.event !== 'build') continue;
          const { id } = message.data;
          announceBuild(id);
          page.set({ ...page.get(), newBuild: id === build ? undefined : id });
        }
        if (state) {
          historyTimer ??= setTimeout(() => {
            isHistoryAwaited = false;
            refresh();
          }, HISTORY_AWAITED_MS);
        }
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
  window.addEventListener('beforeunload', (leaving) => {
    if (hasUnsent()) leaving.preventDefault();
  });
  keepDisplayAwake(document, window.navigator);

  const readOffset = createOffsetCache();
  return {
    page: atDisplayFrames(page, window),
    session,
    failure: watched.failure,
    send: createSender({
      url: `${url}/commands`,
      fetch,
      operator() {
        const state = session.state.get();
        return state.kind === 'signed-in' ? state.operator.name : undefined;
      },
      sessionEnded: session.ended,
      otherOperator: () => void session.require({ fetch, signal: AbortSignal.timeout(SESSION_LIMIT_MS) }),
      onPending: (pending) => page.set({ ...page.get(), pending }),
      readSeenSeq: () => live.get().state?.lastSeq,
      readWallMs: () => readWallClock(live.get(), pageClock()),
      readTime() {
        const { state } = live.get();
        const unixMs = readFlowClock(live.get(), pageClock());
        return state && unixMs !== undefined ? formatTimeWithSeconds(unixMs, state.timeZone) : '';
      },
      onRecorded: (given, retry) => answered.add(given, retry, pageClock()),
      inLog: (id) => untilInLog(history, id),
    }),
    readClock() {
      const desk = live.get();
      const unixMs = readFlowClock(desk, pageClock());
      if (unixMs === undefined || !desk.state) return undefined;
      return { unixMs, utcOffsetMs: readOffset(desk.state.timeZone, unixMs) };
    },
    async loadNewBuild() {
      const { newBuild } = page.get();
      if (newBuild === undefined || !(await isBuildServed(newBuild, fetch))) return false;
      reload();
      return true;
    },
  };
}

function untilInLog(history: ReadableStore<KeptHistory>, id: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!history.get().log.some((row) => row.id === id)) return;
      stop();
      resolve();
    };
    const stop = history.subscribe(look);
    look();
  });
}

/** A reload would lose typed text, an open dialog or a recorded minute. */
function isBeingUsed(document: Document): boolean {
  const inUse = 'dialog[open], input:focus, textarea:focus, select:focus, .replay';
  return hasUnsent() || document.querySelector(inUse) !== null;
}

import type { VenueClock } from '../../domain/live-message.ts';
import { decodeDeskMessage } from '../model/desk-message.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';
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
import { type KeptHistory, NO_HISTORY } from './data/kept-history.ts';
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
import { createSender } from './data/send-command.ts';
import { type Failure, watchFailures } from './data/watch-failures.ts';
import { forgetKept, hasUnsent } from './actions/kept-state.ts';
import { nameRows, readShownEvent, type ShownEvent } from './data/displayed-event.ts';
import type { DeskView, MissingCommand, SendCommand } from './desk-view.ts';
import { formatTimeWithSeconds } from './event-time.ts';
import { type DeskSession, openSession } from './session/desk-session.ts';

/** What the page draws: it changes at most once in a display frame. */
interface DeskPage {
  /** `undefined` until the first figures are there, with their history. */
  readonly view: DeskView | undefined;
  readonly status: Status;
  /** How many commands are under way. */
  readonly pending: number;
  /** A build that waits for somebody to load it. */
  readonly newBuild: string | undefined;
}

export interface OpenDesk {
  readonly page: ReadableStore<DeskPage>;
  readonly session: DeskSession;
  /** Why there is no stream, as far as it is known. */
  readonly failure: ReadableStore<Failure | undefined>;
  readonly send: SendCommand;
  /** The flow's, in the time zone of the event; `undefined` before it is known. */
  readonly readClock: () => VenueClock | undefined;
  /** Loads the page anew; false where the new build is not all there yet. */
  readonly loadNewBuild: () => Promise<boolean>;
}

/** The first figures are drawn without their history where it takes longer than this. */
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
  const shownEvent = createStore<ShownEvent | undefined>(undefined);
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
    const shown = shownEvent.get();
    const before = page.get();
    const isComplete =
      state !== undefined && shown !== undefined && (hasLoaded(kept, live.get()) || !isHistoryAwaited);
    if (!isComplete && !before.view) {
      if (before.status !== status) page.set({ ...before, status });
      return;
    }
    if (!state || !shown) return;
    const codes = state.rows.slice(0, -1).map(({ code }) => code);
    const sectors = nameRows(codes, shown.sectors);
    const { view } = before;
    const { receivedAt } = live.get();
    if (receivedAt && kept.log.length >= state.lastSeq) missing = answered.missingIn(kept.log, receivedAt);
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
      view: { ...shown, state, minutes: kept.minutes, log: kept.log, sectors, status, missing, replay: null },
    });
  };
  for (const store of [live, history, shownEvent]) store.subscribe(refresh);

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
  /** The server may have been started anew, with another venue or event. */
  const askEvent = async (): Promise<void> => {
    if (isEventAsked || performance.now() < eventNotBeforeMs) return;
    isEventAsked = true;
    try {
      const shown = await readShownEvent(fetch);
      isEventKnown = true;
      if (shown.eventId === event) {
        memory.remove(event);
        if (JSON.stringify(shown) !== JSON.stringify(shownEvent.get())) shownEvent.set(shown);
      } else if (!memory.has(shown.eventId)) {
        // Figures of one event must not stand under the title of another.
        memory.add(shown.eventId);
        // Nor may a question hold them there: what was typed is of the other event.
        forgetKept();
        reload();
      }
    } catch {
      eventNotBeforeMs = performance.now() + EVENT_RETRY_MS;
    } finally {
      isEventAsked = false;
    }
  };

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
        // Whose minutes these are is known with the first state; those before it are read with it.
        if (live.get().connection.source && !isOfFormer(live.get()))
          for (const message of messages) if (message.event === 'minute') loader.minuteTold(message.data);
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

function hasLoaded({ loaded, log }: KeptHistory, { state }: LiveDesk): boolean {
  return (
    state !== undefined &&
    (loaded !== undefined || state.lastMinuteMs === null) &&
    log.length >= state.lastSeq
  );
}

/** Somebody types, has typed or has something open, or looks at a recorded minute: it would be lost. */
function isBeingUsed(document: Document): boolean {
  const inUse = 'dialog[open], input:focus, textarea:focus, select:focus, .replay';
  return hasUnsent() || document.querySelector(inUse) !== null;
}

/** Of one time zone after the other: making the reader takes long, and using it too, so it is asked once a minute. */
function createOffsetCache(): (timeZone: string, unixMs: number) => number {
  let read: ((unixMs: number) => number) | undefined;
  let [zone, minute, offsetMs] = ['', -1, 0];
  return (timeZone, unixMs) => {
    if (!read || zone !== timeZone) {
      read = createOffsetReader(timeZone);
      [zone, minute] = [timeZone, -1];
    }
    const now = Math.floor(unixMs / 60_000);
    if (now !== minute) [minute, offsetMs] = [now, read(unixMs)];
    return offsetMs;
  };
}

import { loadPart } from './board/lazy-part.ts';
import { advance, INITIAL_BOARD, type BoardEvent } from './live/board-state.ts';
import { createStore } from './live/board-store.ts';
import { connect } from './live/connection.ts';
import { pageClock } from './live/freshness.ts';
import { isBuildServed, tabMemory, watchNewVersion } from './live/new-version.ts';
import { createSectorLog } from './live/sector-log.ts';
import { readValidTicketCount } from './live/valid-ticket-count.ts';
import { followVenueClock } from './live/venue-clock.ts';
import { watchTime } from './live/waking.ts';
import { keepDisplayAwake } from './live/wake-lock.ts';
import { reportWebVitals } from './report-web-vitals.ts';

// Each lazy part starts to load now, not when it is first needed.
export const parts = {
  sectorTable: loadPart(async () => (await import('./board/sector-table.tsx')).SectorTable),
  announcer: loadPart(async () => (await import('./board/announcer.tsx')).Announcer),
};

export const board = createStore(INITIAL_BOARD);
const venueClock = followVenueClock();
export const readVenueClock = () => venueClock.read(pageClock());
const tell = (event: BoardEvent) => board.set(advance(board.get(), event, pageClock()));
const reload = () => location.reload();
const memory = tabMemory(() => sessionStorage);
const fetch = globalThis.fetch.bind(globalThis);

const onBuild = watchNewVersion({
  build: document.documentElement.dataset['build'] ?? '',
  isLive: () => board.get().status.kind === 'live',
  random: Math.random,
  isServed: (build) => isBuildServed(build, fetch),
  memory,
  reload,
});
const logSectors = createSectorLog((documents) => console.log('sectors', documents));

/**
 * The first numbers come soon after the first sign-in, and bring the table with them. Nothing else is done until then: no
 * table without numbers is drawn that would be drawn again at once.
 */
const NUMBERS_AWAITED_MS = 300;
let isFirstSignIn = true;

function onSignedIn(eventId: string): boolean {
  // Numbers of one event must not stand under the title of another: the server has changed its event.
  if (eventId !== document.documentElement.dataset['event']) {
    if (!memory.has(eventId)) {
      memory.add(eventId);
      reload();
    }
    return false;
  }
  // The reload has brought the right page. Should the event change to another and back, it may reload again.
  memory.remove(eventId);
  if (isFirstSignIn) {
    isFirstSignIn = false;
    setTimeout(() => {
      tell({ type: 'signed-in' });
      readValidTicketCount(eventId, fetch).catch(() => {});
    }, NUMBERS_AWAITED_MS);
  }
  return true;
}

const connection = connect({
  fetch,
  clock: pageClock,
  random: Math.random,
  on: {
    signedIn: onSignedIn,
    opened(calledAt) {
      venueClock.opened(calledAt);
      tell({ type: 'opened' });
    },
    closed: () => tell({ type: 'closed' }),
    received(messages) {
      venueClock.received(messages, pageClock());
      tell({ type: 'received', messages });
      logSectors(messages);
      for (const message of messages) if (message.event === 'build') onBuild(message.data.id);
    },
  },
});
watchTime(
  pageClock,
  { document, window },
  {
    wake: () => tell({ type: 'awoke' }),
    tick() {
      tell({ type: 'ticked' });
      connection.checkSilence();
    },
  },
);
window.addEventListener('offline', connection.reconnect);
keepDisplayAwake(document, navigator);
void reportWebVitals();

import { createOffsetReader } from '../../domain/time-zone.ts';
import { createSender } from '../../desk/page/data/send-command.ts';
import type { OpenDesk } from '../../desk/page/open-desk.ts';
import { openSession } from '../../desk/page/session/desk-session.ts';
import { createStore } from '../../page/store.ts';
import type { StandInDesk } from '../desk/stand-in-desk.ts';
import { type CommandAnswer, createStandInServer } from './stand-in-server.ts';

export interface GalleryDesk {
  readonly desk: OpenDesk;
  readonly standIn: StandInDesk;
  readonly commands: ReturnType<typeof createStandInServer>['commands'];
  /** Draws the current state of the stand-in. */
  readonly publish: () => void;
}

/**
 * Opens the desk's page on a stand-in for the server; session and commands are the desk's own. In the whole page `fetch` is
 * the stand-in's, and the flow's clock stands still.
 */
export function openGalleryDesk(options: {
  readonly standIn: StandInDesk;
  readonly operator: string | undefined;
  readonly answer: CommandAnswer;
}): GalleryDesk {
  const { standIn, operator, answer } = options;
  const readPage = () => ({ view: standIn.view(), status: standIn.status });
  const page = createStore({ ...readPage(), pending: 0, newBuild: undefined });
  const publish = (): void => page.set({ ...page.get(), ...readPage() });
  const { fetch, commands } = createStandInServer({ desk: standIn, operator, answer, onCommand: publish });
  window.fetch = fetch;
  const session = openSession(fetch);
  const requireSession = () => void session.require({ fetch, signal: new AbortController().signal });
  requireSession();
  const utcOffsetMs = createOffsetReader(page.get().view.state.timeZone)(standIn.nowMs);
  return {
    standIn,
    commands,
    publish,
    desk: {
      page,
      session,
      failure: createStore(undefined),
      send: createSender({
        url: '/fluxo/api/commands',
        fetch,
        operator() {
          const state = session.state.get();
          return state.kind === 'signed-in' ? state.operator.name : undefined;
        },
        sessionEnded: session.ended,
        otherOperator: requireSession,
        onPending: (pending) => page.set({ ...page.get(), pending }),
        readSeenSeq: () => undefined,
        readWallMs: () => undefined,
        readTime: () => new Date(standIn.nowMs + utcOffsetMs).toISOString().slice(11, 19),
        onRecorded: () => {},
        inLog: () => new Promise(() => {}),
      }),
      readClock: () => ({ unixMs: standIn.nowMs, utcOffsetMs }),
      loadNewBuild: () => Promise.resolve(false),
    },
  };
}

import { pino } from 'pino';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { InProcessFanOut } from '../../board/fan-out/in-process.ts';
import { type AppOptions, buildApp } from '../../board/http/app.ts';
import { onlyEvent } from '../../board/http/served-event.ts';
import { addDesk } from '../../desk/http/desk-routes.ts';
import type { ServedDesk } from '../../desk/http/served-desk.ts';
import { createVenueClock } from '../../board/venue/venue-clock.ts';
import { closeOnce } from '../close-once.ts';
import { makeTestFolder } from '../folder.ts';
import { EMAIL, KEY, SERVER_SETTINGS } from '../server/server.ts';
import { createSmallDesk, type SmallDesk } from './small-desk.ts';

export const DESK_KEY = 'uma-chave-da-mesa-com-33-letras!!';

/** Settings of a server with a desk, whose record is kept in this database. */
export function deskSettings({ recordUrl }: { readonly recordUrl: string }): Record<string, string> {
  return { DESK_KEY, RECORD_DATABASE_URL: recordUrl };
}

/** The HTTP of a board, without a database, and a desk with its log in memory. */
export interface DeskApp {
  readonly url: string;
  readonly desk: SmallDesk;
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
}

export interface DeskAppOptions extends Partial<AppOptions> {
  /** Options of its desk; `sessionLifetimeMs` is the wall's. */
  readonly deskOptions?: Partial<ServedDesk>;
}

export async function startDeskApp({ deskOptions, ...options }: DeskAppOptions = {}): Promise<DeskApp> {
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const readClock = createVenueClock('UTC');
  const fanOut = new InProcessFanOut({ rows: [], readClock });
  const desk = createSmallDesk(DEFAULT_EVENT_ID);
  const app = await buildApp({
    events: onlyEvent({
      eventId: desk.eventId,
      account: { email: EMAIL, key: KEY },
      pages: { buildId: 'build', list: [{ route: '/', html: '', policy: '' }] },
      fanOut,
      readClock,
      desk: {
        key: DESK_KEY,
        desk,
        ...deskOptions,
      },
      otherPages: { buildId: 'desk build', list: [{ route: '/fluxo', html: '', policy: '' }] },
    }),
    sessionSecret: SERVER_SETTINGS.SESSION_SECRET,
    addOtherRoutes: async (server) => addDesk(server, SERVER_SETTINGS.SESSION_SECRET, options.pageHasSeen),
    trustProxy: false,
    viewerLimits: { maxViewers: 10, maxViewersPerAddress: 10 },
    webRoot: makeTestFolder({ 'static/a.js': '' }),
    notReadyReason: () => undefined,
    warning: () => undefined,
    log: pino({ base: null }, { write }),
    ...options,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => 'listening' });
  const close = closeOnce(async () => {
    fanOut.close();
    await app.close();
  });
  return { url, desk, logged, close };
}

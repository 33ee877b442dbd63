import { pino } from 'pino';
import type { CountsSlice, IncompleteCount } from '../../domain/event-state.ts';
import type { NamedEvent } from '../../fleet/events/read-events-file.ts';
import { formatPosition } from '../../domain/log-position.ts';
import type { Venue } from '../../domain/venue.ts';
import { ServedEvents } from '../../server/fleet/served-events.ts';
import type { FanOut } from '../../board/fan-out/fan-out.ts';
import { type AppOptions, buildApp } from '../../board/http/app.ts';
import { addDesk } from '../../desk/http/desk-routes.ts';
import { closeOnce } from '../close-once.ts';
import { DESK_KEY } from '../desk/desk-app.ts';
import { makeTestFolder } from '../folder.ts';
import { EMAIL, KEY, SERVER_SETTINGS } from '../server/server.ts';
import { createSmallDesk, type SmallDesk } from '../desk/small-desk.ts';

/** The HTTP of several events, each under its names, without a database; its pages are stand-ins, unless `webRoot` has others. */
export interface EventsApp {
  readonly url: string;
  readonly events: ServedEvents;
  /** The fan-outs of the requested events, by ID. */
  readonly desks: ReadonlyMap<string, SmallDesk>;
  readonly logged: Record<string, unknown>[];
  /** All tickets of an event have entered with these codes. */
  count(eventId: string, byCode: Readonly<Record<string, number>>): void;
  /** Its desk marks incomplete counts, and the start of an evacuation. */
  sayIncomplete(eventId: string, incomplete: readonly IncompleteCount[], evacuatedAtMs?: number | null): void;
  close(): Promise<void>;
}

export function namedEvent(eventId: string, host: string, more: Partial<NamedEvent> = {}): NamedEvent {
  return { eventId, hosts: [host], title: undefined, venue: undefined, timeZone: undefined, ...more };
}

const PAGE = '<html><head></head><body data-build="{{build}}">{{title}} {{eventId}}</body></html>';

export async function startEventsApp(
  named: readonly NamedEvent[],
  options: Partial<AppOptions> = {},
): Promise<EventsApp> {
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const files = ['index.html', 'fluxo.html', 'registro.html', 'ajuda.html', 'static/a.js'];
  const { webRoot = makeTestFolder(Object.fromEntries(files.map((file) => [file, PAGE]))) } = options;
  const fanOuts = new Map<string, FanOut>();
  const desks = new Map<string, SmallDesk>();
  const counted = new Map<string, CountsSlice>();
  const events = new ServedEvents(
    {
      webRoot,
      email: EMAIL,
      dashboardKey: KEY,
      deskKey: DESK_KEY,
      timeZone: 'America/Sao_Paulo',
      demo: false,
      follow: ({ eventId, venue }, fanOut) => {
        const desk = createSmallDesk(eventId, venue && codesOf(venue));
        fanOuts.set(eventId, fanOut);
        desks.set(eventId, desk);
        fanOut.publishFreshness({ live: true });
        fanOut.publish({ kind: 'documents', eventId, position: formatPosition('7', 1, 0n), documents: [] });
        const counts = counted.get(eventId);
        if (counts) fanOut.publish(counts);
        return { counts: () => counted.get(eventId), desk, stop: () => void fanOuts.delete(eventId) };
      },
    },
    named,
  );
  const app = await buildApp({
    events,
    sessionSecret: SERVER_SETTINGS.SESSION_SECRET,
    addOtherRoutes: async (server) => addDesk(server, SERVER_SETTINGS.SESSION_SECRET, options.pageHasSeen),
    trustProxy: false,
    viewerLimits: { maxViewers: 1_000, maxViewersPerAddress: 1_000 },
    webRoot,
    notReadyReason: () => undefined,
    warning: () => undefined,
    log: pino({ base: null }, { write }),
    ...options,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => 'listening' });
  return {
    url,
    events,
    desks,
    logged,
    count(eventId, byCode) {
      const version = (counted.get(eventId)?.version ?? 0) + 1;
      const slice = countsOf(eventId, version, byCode);
      counted.set(eventId, slice);
      fanOuts.get(eventId)?.publish(slice);
    },
    sayIncomplete(eventId, incomplete, evacuatedAtMs = null) {
      const position = formatPosition('7', 1, 0n);
      fanOuts.get(eventId)?.publish({ kind: 'incomplete', eventId, position, incomplete, evacuatedAtMs });
    },
    close: closeOnce(async () => {
      events.close();
      await app.close();
    }),
  };
}

const codesOf = ({ sectors }: Venue): string[] => [...sectors.map(({ code }) => code), ''];

function countsOf(eventId: string, version: number, byCode: Readonly<Record<string, number>>): CountsSlice {
  const codes = Object.entries(byCode).map(([code, n]) => ({ code, tickets: n, admitted: n, valid: n }));
  const sum = codes.reduce((total, { tickets }) => total + tickets, 0);
  return {
    kind: 'counts',
    eventId,
    epoch: 'e',
    version,
    position: formatPosition('7', 1, BigInt(version)),
    tickets: sum,
    admitted: sum,
    valid: sum,
    codes,
    rest: { tickets: 0, admitted: 0, valid: 0 },
  };
}

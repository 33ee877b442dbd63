import type { NamedEvent } from '../../fleet/events/read-events-file.ts';
import type { VenueClock } from '../../domain/live-message.ts';
import type { FanOut } from '../../board/fan-out/fan-out.ts';
import { type FanOutLimits, InProcessFanOut, shownBy } from '../../board/fan-out/in-process.ts';
import { titleOf } from '../../domain/event-title.ts';
import type { Desk } from '../../desk/flow/desk.ts';
import { fillPages, readTemplates } from '../../board/http/page.ts';
import type { EventsByHost, ServedEvent } from '../../board/http/served-event.ts';
import { showVenue } from '../../board/http/shown-venue.ts';
import { DESK_FILES, DESK_ROUTES, deskPages } from '../desk/desk-pages.ts';
import { BOARD_FILES, BOARD_ROUTES, boardPages } from '../served-pages.ts';
import { createVenueClock } from '../../board/venue/venue-clock.ts';
import { deriveEventKey } from '../../fleet/events/event-keys.ts';

interface FollowedEvent {
  readonly desk?: Desk | undefined;
  readonly stop: () => void;
}

export interface ServedEventsOptions {
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly email: string;
  /** The keys of each event are derived from these; without `deskKey` there are no desks. */
  readonly dashboardKey: string;
  readonly deskKey: string | undefined;
  /** The zone of events that have none, nor does their venue. */
  readonly timeZone: string;
  readonly demo: boolean;
  /** Publishes the event's state to `fanOut` from now on. */
  readonly follow: (event: NamedEvent, fanOut: FanOut) => FollowedEvent;
  readonly fanOutLimits?: Partial<FanOutLimits> | undefined;
}

interface OpenEvent {
  readonly served: ServedEvent;
  readonly fanOut: InProcessFanOut;
  readonly end: () => void;
}

/**
 * Serves many events, each under its own hosts. An event's pages and state are made at its first request: until then it
 * costs a line of the file.
 */
export class ServedEvents implements EventsByHost {
  readonly routes: readonly string[];
  readonly #open: (event: NamedEvent) => OpenEvent;
  #framesOfEnded = 0;
  #byHost = new Map<string, NamedEvent>();
  #byId = new Map<string, { readonly event: NamedEvent; open?: OpenEvent }>();

  constructor(options: ServedEventsOptions, events: readonly NamedEvent[]) {
    this.routes = options.deskKey !== undefined ? [...BOARD_ROUTES, ...DESK_ROUTES] : BOARD_ROUTES;
    this.#open = createOpener(options);
    this.update(events);
  }

  /** How many events have been requested. */
  get opened(): number {
    return this.#fanOuts.length;
  }

  /** How many viewers there are. */
  get size(): number {
    return this.#fanOuts.reduce((sum, { size }) => sum + size, 0);
  }

  /** How many frames have been written to viewers' sockets, heartbeats included. */
  get framesSent(): number {
    return this.#fanOuts.reduce((sum, { framesSent }) => sum + framesSent, this.#framesOfEnded);
  }

  get #fanOuts(): readonly InProcessFanOut[] {
    return [...this.#byId.values()].flatMap(({ open }) => (open ? [open.fanOut] : []));
  }

  readonly find = (host: string): ServedEvent | undefined => {
    const named = this.#byHost.get(host);
    const entry = named && this.#byId.get(named.eventId);
    if (!entry) return undefined;
    entry.open ??= this.#open(entry.event);
    return entry.open.served;
  };

  /** Replaces the events. The streams of removed and changed events end: their pages reconnect. */
  update(events: readonly NamedEvent[]): void {
    const before = this.#byId;
    this.#byHost = new Map(events.flatMap((event) => event.hosts.map((host) => [host, event])));
    this.#byId = new Map(
      events.map((event) => {
        const known = before.get(event.eventId);
        if (!known || !isSame(known.event, event)) return [event.eventId, { event }];
        before.delete(event.eventId);
        return [event.eventId, known];
      }),
    );
    for (const { open } of before.values()) {
      this.#framesOfEnded += open?.fanOut.framesSent ?? 0;
      open?.end();
    }
  }

  close(): void {
    this.update([]);
  }
}

/** Whether streams of an event may go on: nothing that they display has changed, and it keeps all of its names. */
function isSame(one: NamedEvent, other: NamedEvent): boolean {
  return (
    one.hosts.every((host) => other.hosts.includes(host)) &&
    one.title === other.title &&
    one.timeZone === other.timeZone &&
    (one.venue === other.venue || JSON.stringify(one.venue) === JSON.stringify(other.venue))
  );
}

function createOpener(options: ServedEventsOptions): (event: NamedEvent) => OpenEvent {
  const { webRoot, email, dashboardKey, deskKey, demo, follow, fanOutLimits: limits } = options;
  const boardTemplates = readTemplates(webRoot, BOARD_FILES);
  const deskTemplates =
    deskKey === undefined ? new Map<string, string>() : readTemplates(webRoot, DESK_FILES);
  const clocks = new Map<string, () => VenueClock>();
  const clockOf = (timeZone: string): (() => VenueClock) => {
    const clock = clocks.get(timeZone) ?? createVenueClock(timeZone);
    clocks.set(timeZone, clock);
    return clock;
  };
  return (event) => {
    const { eventId, venue } = event;
    const shownVenue = venue && showVenue(venue);
    const named = { eventId, title: titleOf(event.title), demo };
    const readClock = clockOf(event.timeZone ?? venue?.timeZone ?? options.timeZone);
    const fanOut = new InProcessFanOut({ ...shownBy(venue), readClock, limits });
    const followed = follow(event, fanOut);
    const ended = new AbortController();
    const served: ServedEvent = {
      eventId,
      account: { email, key: deriveEventKey(dashboardKey, 'dashboard', eventId) },
      pages: fillPages(boardTemplates, boardPages(named), shownVenue),
      venue: shownVenue,
      fanOut,
      readClock,
      ...(deskKey !== undefined && followed.desk
        ? {
            desk: { key: deriveEventKey(deskKey, 'desk', eventId), desk: followed.desk },
            otherPages: fillPages(deskTemplates, deskPages(named), shownVenue),
          }
        : undefined),
      ended: ended.signal,
    };
    const end = (): void => {
      followed.stop();
      fanOut.close();
      ended.abort();
    };
    return { served, fanOut, end };
  };
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CountsSlice } from '../../domain/event-state.ts';
import type { VenueClock } from '../../domain/live-message.ts';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import type { FanOut } from '../fan-out/fan-out.ts';
import type { Page, Pages } from './page.ts';
import { sendProblem } from './problem.ts';

/** The account of an event's dashboards. */
interface Account {
  readonly email: string;
  readonly key: string;
}

/** One event as it is served: its pages, who may see it, and its newest state. */
export interface ServedEvent {
  readonly eventId: string;
  readonly account: Account;
  readonly pages: Pages;
  /** `undefined`: the default venue, which the pages have in code. */
  readonly venue?: ShownVenue | undefined;
  readonly fanOut: FanOut;
  readonly readClock: () => VenueClock;
  /** `undefined` before the first counts. */
  readonly counts: () => CountsSlice | undefined;
  /** The pages of another room have a build ID of their own, so that a new one reloads no wall. */
  readonly otherPages?: Pages | undefined;
  /** Aborts when it is served no longer. */
  readonly ended?: AbortSignal;
}

/** The events of a process, by the names under which they are served. */
export interface EventsByHost {
  /** `host`: in lower case, without a port. `undefined`: nothing is served under this name. */
  readonly find: (host: string) => ServedEvent | undefined;
  /** The routes of the pages that events have. */
  readonly routes: readonly string[];
}

/** Serves one event under every name. */
export function onlyEvent(event: ServedEvent): EventsByHost {
  const routes = pagesOf(event).map(({ route }) => route);
  return { find: () => event, routes };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** That of the host which the request names. */
    servedEvent: ServedEvent | undefined;
  }
  interface FastifyContextConfig {
    /** Answered under every name, whether an event has it or not. */
    anyHost?: boolean;
  }
}

/**
 * Finds each request's event by its host; for a proxy that TRUST_PROXY names, by X-Forwarded-Host. A forged header only chooses
 * another event, which anybody may; each event has its own sign-in.
 */
export function findEvents(app: FastifyInstance, { find }: EventsByHost): void {
  app.decorateRequest('servedEvent', undefined);
  app.addHook('onRequest', (request, _reply, next) => {
    request.servedEvent = find(hostOf(request));
    next();
  });
}

/** Behind all that sets headers: a host that is no event's is answered 421, except where every one is good. */
export function refuseOtherHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.servedEvent !== undefined || request.routeOptions.config.anyHost) return undefined;
    // Its body, if there is one, is not read.
    return sendProblem(reply.header('connection', 'close'), 421, 'no event is served under this name');
  });
}

function hostOf({ hostname }: FastifyRequest): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

/** Returns the event of a request that was not refused. */
export function eventOf({ servedEvent }: FastifyRequest): ServedEvent {
  if (servedEvent === undefined) throw new Error('unreachable: another host is refused');
  return servedEvent;
}

export function pageOf(event: ServedEvent, route: string | undefined): Page | undefined {
  return pagesOf(event).find((page) => page.route === route);
}

function pagesOf({ pages, otherPages }: ServedEvent): readonly Page[] {
  return otherPages ? [...pages.list, ...otherPages.list] : pages.list;
}

/** What is made once for each event, when it is first asked for, and goes with it. */
export function perEvent<T>(make: (event: ServedEvent) => T): (event: ServedEvent) => T {
  const made = new WeakMap<ServedEvent, { readonly value: T }>();
  return (event) => {
    const found = made.get(event) ?? { value: make(event) };
    made.set(event, found);
    return found.value;
  };
}

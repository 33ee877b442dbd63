import type { FastifyInstance, FastifyRequest } from 'fastify';
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

/** What the server needs to serve one event: its pages, the account that may see it, and its newest state. */
export interface ServedEvent {
  readonly eventId: string;
  readonly account: Account;
  readonly pages: Pages;
  /** `undefined` for the default venue, which is part of the pages' code. */
  readonly venue?: ShownVenue | undefined;
  readonly fanOut: FanOut;
  readonly readClock: () => VenueClock;
  /** The pages of another room have a build ID of their own, so that a new one reloads no wall. */
  readonly otherPages?: Pages | undefined;
  /** Aborts when the event is no longer served. */
  readonly ended?: AbortSignal;
}

/** The events of a process, by the host names under which they are served. */
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
    /** The event of the request's host name, if there is one. */
    servedEvent: ServedEvent | undefined;
  }
  interface FastifyContextConfig {
    /** The route answers under every host name, even one without an event. */
    anyHost?: boolean;
  }
}

/**
 * Finds the event of each request by its Host header, or by X-Forwarded-Host if the request comes from a proxy that
 * TRUST_PROXY names. Forging a header gains nothing: any client may choose an event, and each event has its own sign-in.
 */
export function findEvents(app: FastifyInstance, { find }: EventsByHost): void {
  app.decorateRequest('servedEvent', undefined);
  app.addHook('onRequest', (request, _reply, next) => {
    request.servedEvent = find(hostOf(request));
    next();
  });
}

/** Answers 421 to a host name without an event, except on routes with `anyHost`. Must follow the hooks that set headers. */
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

/** Returns a function that creates a value for each event on its first call, and keeps it as long as the event exists. */
export function perEvent<T>(make: (event: ServedEvent) => T): (event: ServedEvent) => T {
  const made = new WeakMap<ServedEvent, { readonly value: T }>();
  return (event) => {
    const found = made.get(event) ?? { value: make(event) };
    made.set(event, found);
    return found.value;
  };
}

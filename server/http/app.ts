import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { join } from 'node:path';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import { answerClientError } from './client-error.ts';
import { ConnectionLimiter, type ViewerLimits } from './connection-limiter.ts';
import type { DeskRoutesOptions } from './desk/desk-routes.ts';
import { addEventRoutes, type EventRoutesOptions } from './event-routes.ts';
import { addHealth, type Health } from './health.ts';
import {
  HTTP_LIMITS,
  type HttpLimits,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  SPARE_CONNECTIONS,
} from './http-limits.ts';
import { paceRequests } from './pace-requests.ts';
import type { Pages } from './page.ts';
import { answerErrorsAsProblems, answerFrameworkError } from './problem.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { Sessions } from './session.ts';
import { type Account, addSignIn } from './sign-in.ts';
import { addStaticFiles } from './static-files.ts';
import { cutRequestsBehindStreams } from './streaming-sockets.ts';
import { refuseUnexpectedBodies } from './unexpected-body.ts';

export interface AppOptions
  extends Health, Pick<EventRoutesOptions, 'eventId' | 'fanOut' | 'readClock' | 'counts'> {
  readonly account: Account;
  readonly sessionSecret: string;
  /** For tests; a session lasts twelve hours. */
  readonly sessionLifetimeMs?: number | undefined;
  /** Who is believed about X-Forwarded-*: the addresses named; `true`: whoever connects, but nobody beyond. */
  readonly trustProxy: boolean | string;
  readonly viewerLimits: ViewerLimits;
  /** `undefined`: there is no desk. */
  readonly desk?:
    | (Pick<DeskRoutesOptions, 'key' | 'desk' | 'sessionLifetimeMs' | 'commandMs'> & {
        readonly pages: Pages;
      })
    | undefined;
  readonly httpLimits?: HttpLimits | undefined;
  readonly pages: Pages;
  /** `undefined`: the default venue, which the pages have in code. */
  readonly venue?: ShownVenue | undefined;
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly log: FastifyBaseLogger;
}

/** One event and its pages, over HTTP. Everything else is 404. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { eventId, account, pages, venue, viewerLimits } = options;
  const { key } = account;
  const app = createServer(options);
  const closeConnections = paceRequests(app.server);
  app.addHook('preClose', async () => closeConnections());
  app.server.maxConnections = viewerLimits.maxViewers + SPARE_CONNECTIONS;
  answerErrorsAsProblems(app);
  cutRequestsBehindStreams(app);
  const pageList = [...pages.list, ...(options.desk?.pages.list ?? [])];
  await addSecurityHeaders(app, pageList);
  refuseUnexpectedBodies(app);
  await app.register(cookie);
  await app.register(rateLimit, { global: false });
  app.decorateRequest('sessionEndsAtMs', 0);

  for (const { route, html } of pageList) {
    app.get(route, (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(html),
    );
  }
  await addStaticFiles(app, join(options.webRoot, 'static'));
  app.get('/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ eventId, email: account.email, key, ...venue }),
  );
  const sessions = new Sessions({
    sessionSecret: options.sessionSecret,
    dashboardKey: key,
    eventId,
    lifetimeMs: options.sessionLifetimeMs,
  });
  addSignIn(app, account, sessions);
  await addEventRoutes(app, {
    ...options,
    sessions,
    limiter: new ConnectionLimiter(viewerLimits),
    buildId: pages.buildId,
    venueId: venue?.venueId,
  });
  addHealth(app, options);
  if (options.desk) {
    const { addDesk } = await import('./desk/desk-routes.ts');
    const { sessionSecret, readClock } = options;
    await addDesk(app, { ...options.desk, sessionSecret, readClock, buildId: options.desk.pages.buildId });
  }
  return app;
}

function createServer({ trustProxy, log, httpLimits = HTTP_LIMITS }: AppOptions): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Believing every hop would believe the viewer, who writes the first one.
    trustProxy: trustProxy === true ? (_address, hop) => hop === 0 : trustProxy,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: httpLimits.requestMs,
    connectionTimeout: httpLimits.idleMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: httpLimits.headersMs,
      requestTimeout: httpLimits.requestMs,
      connectionsCheckingInterval: httpLimits.checkEveryMs,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 64 },
  });
}

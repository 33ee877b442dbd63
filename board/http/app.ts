import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { join } from 'node:path';
import { answerClientError } from './client-error.ts';
import { ConnectionLimiter, type ViewerLimits } from './connection-limiter.ts';
import { addEventRoutes } from './event-routes.ts';
import { addHealth, type Health } from './health.ts';
import {
  HTTP_LIMITS,
  type HttpLimits,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  MAX_PARAMETER_LENGTH,
  SPARE_CONNECTIONS,
} from './http-limits.ts';
import { paceRequests } from './pace-requests.ts';
import { answerErrorsAsProblems, answerFrameworkError, sendProblem } from './problem.ts';
import { QuietStreams } from './quiet-streams.ts';
import { addSecurityHeaders } from './security-headers.ts';
import {
  eventOf,
  type EventsByHost,
  findEvents,
  pageOf,
  perEvent,
  refuseOtherHosts,
} from './served-event.ts';
import { Sessions } from './session.ts';
import type { PageHasSeen } from './seen-timeline.ts';
import { addSignIn } from './sign-in.ts';
import { addStaticFiles } from './static-files.ts';
import { cutRequestsBehindStreams } from './streaming-sockets.ts';
import { refuseUnexpectedBodies } from './unexpected-body.ts';

export interface AppOptions extends Health {
  readonly events: EventsByHost;
  readonly sessionSecret: string;
  /** For tests; a session lasts twelve hours. */
  readonly sessionLifetimeMs?: number | undefined;
  /** Whose X-Forwarded-* is trusted: that of these addresses; `true`: that of the peer, but of no hop beyond. */
  readonly trustProxy: boolean | string;
  /** The limits of all events together. */
  readonly viewerLimits: ViewerLimits;
  readonly httpLimits?: HttpLimits | undefined;
  /** A stream is never silent for longer; `undefined`: there is no such limit. */
  readonly maxSilenceMs?: number | undefined;
  /** Called where a page reports the timeline that it has seen (`shortTimeline`). */
  readonly pageHasSeen?: PageHasSeen;
  /** Adds the routes of another room, which follow all that the board's follow. */
  readonly addOtherRoutes?: ((app: FastifyInstance) => Promise<void>) | undefined;
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly log: FastifyBaseLogger;
}

/** Events and their pages, over HTTP, each under its own names. Everything else is 404. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { events, sessionSecret, sessionLifetimeMs: lifetimeMs, viewerLimits, maxSilenceMs } = options;
  const app = createServer(options);
  const quietStreams = maxSilenceMs === undefined ? undefined : new QuietStreams(maxSilenceMs);
  app.decorate('quietStreams', quietStreams);
  app.addHook('onClose', async () => quietStreams?.stop());
  const closeConnections = paceRequests(app.server);
  app.addHook('preClose', async () => closeConnections());
  app.server.maxConnections = viewerLimits.maxViewers + SPARE_CONNECTIONS;
  answerErrorsAsProblems(app);
  cutRequestsBehindStreams(app);
  findEvents(app, events);
  await addSecurityHeaders(app);
  refuseOtherHosts(app);
  refuseUnexpectedBodies(app);
  await app.register(cookie);
  await app.register(rateLimit, { global: false });
  app.decorateRequest('sessionEndsAtMs', 0);

  for (const route of events.routes) {
    app.get(route, (request, reply) => {
      const page = pageOf(eventOf(request), route);
      if (!page) return sendProblem(reply, 404);
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page.html);
    });
  }
  await addStaticFiles(app, join(options.webRoot, 'static'));
  app.get('/config.json', (request, reply) => {
    const { eventId, account, venue } = eventOf(request);
    const { email, key } = account;
    return reply.header('cache-control', 'no-store').send({ eventId, email, key, ...venue });
  });
  const sessionsOf = perEvent(
    ({ eventId, account }) => new Sessions({ sessionSecret, dashboardKey: account.key, eventId, lifetimeMs }),
  );
  addSignIn(app, sessionsOf);
  const limiter = new ConnectionLimiter(viewerLimits);
  await addEventRoutes(app, { sessionsOf, limiter, pageHasSeen: options.pageHasSeen });
  addHealth(app, options);
  await options.addOtherRoutes?.(app);
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
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
  });
}

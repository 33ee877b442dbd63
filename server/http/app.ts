import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { join } from 'node:path';
import type { VenueClock } from '../../domain/live-message.ts';
import type { CountsPart } from '../../domain/event-state.ts';
import type { FanOut } from '../fan-out/fan-out.ts';
import { answerClientError } from './client-error.ts';
import { admitGradually } from './gradual-admission.ts';
import {
  HTTP_LIMITS,
  type HttpLimits,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  SPARE_CONNECTIONS,
} from './http-limits.ts';
import { answerLive } from './live-stream.ts';
import type { Page } from './page.ts';
import { answerErrorsAsProblems, answerFrameworkError, sendProblem } from './problem.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { Sessions } from './session.ts';
import { type Account, addSignIn, requireSession } from './sign-in.ts';
import { addStaticFiles } from './static-files.ts';
import { cutRequestsBehindStreams } from './streaming-sockets.ts';
import { refuseUnexpectedBodies } from './unexpected-body.ts';
import { type ViewerLimits, ViewerSeats } from './viewer-seats.ts';

export interface AppOptions {
  readonly eventId: string;
  readonly account: Account;
  readonly sessionSecret: string;
  /** For tests; a session lasts twelve hours. */
  readonly sessionLifetimeMs?: number | undefined;
  /** Who is believed about X-Forwarded-*: the addresses named; `true`: whoever connects, but nobody beyond. */
  readonly trustProxy: boolean | string;
  readonly viewerLimits: ViewerLimits;
  readonly httpLimits?: HttpLimits | undefined;
  readonly page: Page;
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly fanOut: FanOut;
  readonly readClock: () => VenueClock;
  /** `undefined` before the first counts. */
  readonly counts: () => CountsPart | undefined;
  /** What keeps the counts from being live; `undefined` while nothing does. */
  readonly trouble: () => string | undefined;
  /** What an operator should look at though the counts are live. */
  readonly warning: () => string | undefined;
  readonly log: FastifyBaseLogger;
}

/** One event and its screen, over HTTP. Everything else is 404. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { eventId, account, page, fanOut, readClock, viewerLimits } = options;
  const app = createServer(options);
  const cutConnections = admitGradually(app.server);
  app.addHook('preClose', async () => cutConnections());
  app.server.maxConnections = viewerLimits.maxViewers + SPARE_CONNECTIONS;
  answerErrorsAsProblems(app);
  cutRequestsBehindStreams(app);
  await addSecurityHeaders(app, page.inlineScripts);
  refuseUnexpectedBodies(app);
  await app.register(cookie);
  await app.register(rateLimit, { global: false });
  await addStaticFiles(app, join(options.webRoot, 'static'));

  const { key } = account;
  const sessions = new Sessions({
    sessionSecret: options.sessionSecret,
    dashboardKey: key,
    eventId,
    lifetimeMs: options.sessionLifetimeMs,
  });
  const seats = new ViewerSeats(viewerLimits);
  app.decorateRequest('sessionEndsAtMs', 0);

  app.get('/', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page.html),
  );
  app.get('/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ eventId, email: account.email, key }),
  );
  addSignIn(app, account, sessions);

  await app.register(
    async (event) => {
      // Another event is not there, whatever the session.
      event.addHook<{ Params: { eventId: string } }>('onRequest', async (request, reply) =>
        request.params.eventId === eventId ? undefined : sendProblem(reply, 404),
      );
      event.addHook('onRequest', requireSession(sessions));
      event.get('/live', (request, reply) =>
        answerLive(request, reply, { seats, fanOut, readClock, buildId: page.buildId }),
      );
      event.get<{ Querystring: { isValidTicket?: string } }>('/tickets/count', async (request, reply) => {
        if (request.query.isValidTicket !== 'true') {
          return sendProblem(reply, 400, 'only isValidTicket=true can be counted');
        }
        const counts = options.counts();
        if (!counts) return sendProblem(reply.header('retry-after', 1), 503, 'nothing has been counted yet');
        return reply.header('cache-control', 'no-store').send({ count: counts.valid });
      });
    },
    { prefix: '/api/events/:eventId' },
  );

  app.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );
  app.get('/readyz', (_request, reply) => {
    const trouble = options.trouble();
    reply.header('cache-control', 'no-store');
    // What is shown is right: whoever restarts what is not ready would mend nothing.
    if (trouble === undefined) return reply.send({ status: 'observing', warning: options.warning() });
    return reply.code(503).send({ status: 'not observing', waitingFor: trouble });
  });
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

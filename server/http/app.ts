import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import staticFiles from '@fastify/static';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { join } from 'node:path';
import type { Counts } from '../../domain/tally.ts';
import type { FanOut } from '../fan-out/fan-out.ts';
import { openLiveStream } from './live-stream.ts';
import type { Page } from './page.ts';
import { answerErrorsAsProblems, sendProblem } from './problem.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { Sessions } from './session.ts';
import { type Account, addSignIn, requireSession } from './sign-in.ts';

export interface AppOptions {
  readonly eventId: string;
  readonly account: Account;
  readonly sessionSecret: string;
  readonly trustProxy: boolean | string;
  readonly page: Page;
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly fanOut: FanOut;
  /** `undefined` before the first counts. */
  readonly counts: () => Counts | undefined;
  /** What keeps the counts from being live; `undefined` while nothing does. */
  readonly trouble: () => string | undefined;
  readonly log: FastifyBaseLogger;
}

/** One event and its screen, over HTTP. Everything else is 404. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { eventId, account, page, fanOut } = options;
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    bodyLimit: 1_024,
    requestTimeout: 10_000,
    // Longer than a proxy keeps its connections, so that it is the one that closes them.
    keepAliveTimeout: 75_000,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 64 },
  });
  answerErrorsAsProblems(app);
  await addSecurityHeaders(app);
  await app.register(cookie);
  await app.register(rateLimit, { global: false });
  await app.register(staticFiles, {
    root: join(options.webRoot, 'static'),
    prefix: '/static/',
    // Only the files that are there now have a route: no path of a request ever reaches the file system.
    wildcard: false,
    index: false,
    cacheControl: false,
    setHeaders(reply, path) {
      // A name with its content's hash never means anything else.
      const isHashed = /\.[0-9a-f]{10}\.\w+$/.test(path);
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });

  const { key } = account;
  const sessions = new Sessions({ sessionSecret: options.sessionSecret, dashboardKey: key, eventId });
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
      event.addHook('onRequest', requireSession(sessions));
      event.addHook<{ Params: { eventId: string } }>('onRequest', async (request, reply) =>
        request.params.eventId === eventId ? undefined : sendProblem(reply, 404),
      );
      event.get('/live', (_request, reply) => openLiveStream(reply, fanOut, page.buildId));
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
    if (trouble === undefined) return reply.send({ status: 'observing' });
    return reply.code(503).send({ status: 'not observing', waitingFor: trouble });
  });
  return app;
}

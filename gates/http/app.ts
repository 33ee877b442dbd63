import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance } from 'fastify';
import {
  DURATIONS,
  type Durations,
  KEEP_ALIVE_MS,
  MAX_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
} from './limits.ts';
import { createMetrics } from './metrics.ts';
import { OPENAPI } from './openapi.ts';
import { answerClientError, answerErrorsAsProblems, answerFrameworkError } from './problem.ts';
import { addTicketRoute, type TicketRouteOptions } from './ticket-route.ts';

export interface AppOptions extends TicketRouteOptions {
  readonly durations?: Durations | undefined;
  readonly say: (line: string) => void;
}

/** Tickets in, over HTTP. Nothing here reads one out. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { durations = DURATIONS, queue, activity, clocks, say } = options;
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: durations.requestMs,
    connectionTimeout: durations.idleMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: durations.headersMs,
      requestTimeout: durations.requestMs,
      connectionsCheckingInterval: durations.checkEveryMs,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    exposeHeadRoutes: false,
    // What comes on an open connection while it stops is written, or told to come again, as ever.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 64 },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  answerErrorsAsProblems(app, say);
  await app.register(rateLimit, { global: false });
  addTicketRoute(app, options);
  const openapi = JSON.stringify(OPENAPI);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(openapi));
  app.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );
  app.get('/readyz', (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const because = queue.closedBecause;
    const { warning } = clocks;
    if (!because) return reply.send({ status: 'writing', warning });
    return reply.code(503).send({ status: 'not writing', waitingFor: because.message, warning });
  });
  const metrics = createMetrics(activity, clocks);
  app.get('/metrics', async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.metrics()),
  );
  return app;
}

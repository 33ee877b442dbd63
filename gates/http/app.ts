import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance } from 'fastify';
import { oneEventId } from '../../domain/event.ts';
import { DURATIONS, KEEP_ALIVE_MS, MAX_BODY_BYTES, MAX_CONNECTIONS, MAX_HEADER_BYTES } from './limits.ts';
import { createMetrics } from './metrics.ts';
import { OPENAPI } from './openapi.ts';
import {
  answerClientError,
  answerErrorsAsProblems,
  answerFrameworkErrors,
  type NoteRefused,
} from './problem.ts';
import { CHECK_AGENT, type HttpSettings } from './settings.ts';
import { addTicketRoute } from './ticket-route.ts';
import { PretixWatch } from './webhooks/pretix-watch.ts';
import { addWebhooks, type WebhookOptions } from './webhooks/webhooks.ts';

/** Builds the HTTP server that takes tickets. No route returns one. */
export async function buildApp(
  options: Omit<WebhookOptions, 'pretixWatch'> & Pick<HttpSettings, 'trustProxy'>,
): Promise<FastifyInstance> {
  const { durations = DURATIONS, queue, activity, clocks, log } = options;
  const note: NoteRefused = ({ params, ip, headers }, { status, message }) => {
    const { eventId } = (params ?? {}) as { eventId?: string };
    // Those of a route are counted there.
    if (eventId === undefined) activity.noteAnswer('', status);
    if (status === 503) activity.noteUnavailable(oneEventId(eventId ?? ''), message);
    if (headers['user-agent'] === CHECK_AGENT) return;
    activity.refusedRequests.noteRequest(oneEventId(eventId ?? ''), status, ip);
  };
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustProxy,
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
    frameworkErrors: answerFrameworkErrors(note),
    exposeHeadRoutes: false,
    // While the server stops, requests on open connections are still written, or answered 503 by the queue.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 64 },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  answerErrorsAsProblems(app, log, note);
  await app.register(rateLimit, { global: false });
  addTicketRoute(app, options);
  const pretixWatch = new PretixWatch(log);
  await app.register((scope) => addWebhooks(scope, { ...options, pretixWatch }));
  const openapi = JSON.stringify(OPENAPI);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(openapi));
  app.get('/healthz', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'alive' }),
  );
  app.get('/readyz', (_request, reply) => {
    reply.header('cache-control', 'no-store');
    const because = queue.notWritingBecause;
    const watches = [pretixWatch, clocks, activity.refused, activity.refusedRequests, activity, queue];
    const warning = watches.flatMap(({ warning: text }) => text ?? []).join('. ') || undefined;
    const { databaseId } = activity;
    if (!because) return reply.send({ status: 'writing', databaseId, warning });
    const waitingFor = because.message;
    return reply.code(503).send({ status: 'not writing', waitingFor, databaseId, warning });
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

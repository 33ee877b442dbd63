import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { answerClientError } from './client-error.ts';
import { addHealth, type Health } from './health.ts';
import { HTTP_LIMITS, MAX_BODY_BYTES, MAX_HEADER_BYTES } from './http-limits.ts';
import { answerErrorsAsProblems, answerFrameworkError } from './problem.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { refuseUnexpectedBodies } from './unexpected-body.ts';

/** Only a few supervisors connect. */
const MAX_CONNECTIONS = 64;

/** Builds the HTTP server of a process that serves no screens: only `/healthz` and `/readyz`. */
export async function buildHealthApp(health: Health, log: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: HTTP_LIMITS.requestMs,
    connectionTimeout: HTTP_LIMITS.idleMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HTTP_LIMITS.headersMs,
      requestTimeout: HTTP_LIMITS.requestMs,
      connectionsCheckingInterval: HTTP_LIMITS.checkEveryMs,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  answerErrorsAsProblems(app);
  await addSecurityHeaders(app);
  refuseUnexpectedBodies(app);
  addHealth(app, health);
  return app;
}

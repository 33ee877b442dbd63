import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';

const FAILURES_PER_MINUTE = 10;

/**
 * Answers sign-ins that failed: 401, and 429 after ten a minute from one address. Only failures are limited: a hall of
 * screens behind one address signs in at once, and a guesser there does not lock it out.
 */
export function limitFailedSignIns(
  app: FastifyInstance,
): (
  request: FastifyRequest,
  reply: FastifyReply,
  message: { readonly log: string; readonly detail: string },
) => Promise<FastifyReply> {
  const limitFailures = app.createRateLimit({ max: FAILURES_PER_MINUTE, timeWindow: 60_000 });
  return async (request, reply, { log, detail }) => {
    const limit = await limitFailures(request);
    const tooMany = !limit.isAllowed && limit.isExceeded;
    // A guesser must not fill the log: failures beyond the limit are not logged.
    if (!tooMany) {
      request.log.warn({ address: request.ip, left: limit.isAllowed ? undefined : limit.remaining }, log);
      return sendProblem(reply, 401, detail);
    }
    return sendProblem(reply.header('retry-after', limit.ttlInSeconds), 429, 'too many failed sign-ins');
  };
}

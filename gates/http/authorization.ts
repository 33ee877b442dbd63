import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timingSafeEqual } from 'node:crypto';
import { FAILURES_PER_MINUTE } from './limits.ts';
import { sendProblem } from './problem.ts';
import { Refusal } from './refusal.ts';
import { digestKey } from './settings.ts';

/**
 * Returns an `onRequest` hook that answers 401 without the key, before the body is read. It limits only failures, per
 * address: a guesser behind a proxy does not lock the turnstiles out.
 */
export function requireKey(app: FastifyInstance, keyDigest: Buffer) {
  const limitFailures = app.createRateLimit({ max: FAILURES_PER_MINUTE, timeWindow: 60_000 });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const [, given] = /^Bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given !== undefined && timingSafeEqual(digestKey(given), keyDigest)) return undefined;
    const limit = await limitFailures(request);
    if (!limit.isAllowed && limit.isExceeded) {
      return sendProblem(
        reply,
        new Refusal(429, 'Too many requests without the right key.', { retryAfterS: limit.ttlInSeconds }),
      );
    }
    reply.header('www-authenticate', 'Bearer realm="triagem gates"');
    return sendProblem(
      reply,
      new Refusal(401, 'The header "Authorization: Bearer KEY" is missing, or its key is wrong.'),
    );
  };
}

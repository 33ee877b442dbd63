import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timingSafeEqual } from 'node:crypto';
import { FAILURES_PER_MINUTE } from './limits.ts';
import { Refusal } from './refusal.ts';
import { digestKey } from './settings.ts';

/** How a request carries the key: as a bearer's, or as the password of an address `https://NAME:KEY@HOST/…`. */
export type Scheme = 'Bearer' | 'Basic';

const DETAILS: Readonly<Record<Scheme, string>> = {
  Bearer: 'The header "Authorization: Bearer KEY" is missing, or its key is wrong.',
  Basic: 'The address "https://NAME:KEY@HOST/…" lacks the key as its password, or it is wrong.',
};

/**
 * Returns an `onRequest` hook that answers 401 without the key, before the body is read. It limits only failures, per
 * address: a guesser behind a proxy does not lock the turnstiles out.
 */
export function requireKey(app: FastifyInstance, keyDigest: Buffer, scheme: Scheme) {
  const fail = answerFailures(app);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const given = readKey(request.headers.authorization ?? '', scheme);
    if (given !== undefined && timingSafeEqual(digestKey(given), keyDigest)) return;
    reply.header('www-authenticate', `${scheme} realm="triagem gates"`);
    await fail(request, reply, DETAILS[scheme]);
  };
}

function readKey(header: string, scheme: Scheme): string | undefined {
  const [, type, given] = /^(Bearer|Basic) +([^ ]+) *$/i.exec(header) ?? [];
  if (given === undefined || type?.toLowerCase() !== scheme.toLowerCase()) return undefined;
  if (scheme === 'Bearer') return given;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? [];
  return password;
}

/** Returns a function that throws a Refusal with 401, and 429 where an address has had too many of these in a minute. */
export function answerFailures(app: FastifyInstance) {
  const limitFailures = app.createRateLimit({ max: FAILURES_PER_MINUTE, timeWindow: 60_000 });
  return async (request: FastifyRequest, reply: FastifyReply, detail: string): Promise<never> => {
    const limit = await limitFailures(request);
    if (limit.isAllowed || !limit.isExceeded) throw new Refusal(401, detail);
    reply.removeHeader('www-authenticate');
    throw new Refusal(
      429,
      'Too many requests without the right key: wait a minute, then send again, with the right key.',
      { retryAfterS: limit.ttlInSeconds },
    );
  };
}

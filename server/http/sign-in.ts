import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { equalInConstantTime, type Sessions } from './session.ts';
import { sendProblem } from './problem.ts';

const SESSION_COOKIE = 'triagem_session';

const FAILURES_PER_MINUTE = 10;

export interface Account {
  readonly email: string;
  readonly key: string;
}

interface SignInBody {
  readonly email: string;
  readonly key: string;
}

const BODY = {
  type: 'object',
  required: ['email', 'key'],
  additionalProperties: false,
  properties: { email: { type: 'string' }, key: { type: 'string' } },
} as const;

/**
 * `POST /api/sign-in`: 204 and a session for the one account of the dashboards. Only failures are limited, per
 * address: a hall of screens behind one address signs in at once, and a guesser there does not lock it out.
 */
export function addSignIn(app: FastifyInstance, account: Account, sessions: Sessions): void {
  // A form of another site could send text/plain without a preflight.
  app.removeContentTypeParser('text/plain');
  const limitFailures = app.createRateLimit({ max: FAILURES_PER_MINUTE, timeWindow: 60_000 });

  app.post<{ Body: SignInBody }>('/api/sign-in', { schema: { body: BODY } }, async (request, reply) => {
    const { email, key } = request.body;
    // Both are compared, whatever the first gives.
    const emailFits = equalInConstantTime(email, account.email);
    const keyFits = equalInConstantTime(key, account.key);
    if (emailFits && keyFits) {
      return reply
        .setCookie(SESSION_COOKIE, sessions.open(Date.now()), {
          path: '/',
          httpOnly: true,
          sameSite: 'strict',
          secure: request.protocol === 'https',
          maxAge: Math.ceil(sessions.lifetimeMs / 1_000),
        })
        .header('cache-control', 'no-store')
        .code(204)
        .send();
    }
    const limit = await limitFailures(request);
    const tooMany = !limit.isAllowed && limit.isExceeded;
    // A guesser must not fill the log: failures beyond the limit are not logged.
    if (!tooMany) {
      request.log.warn(
        { address: request.ip, left: limit.isAllowed ? undefined : limit.remaining },
        'sign-in failed',
      );
      return sendProblem(reply, 401, 'e-mail or key is wrong');
    }
    return sendProblem(reply.header('retry-after', limit.ttlInSeconds), 429, 'too many failed sign-ins');
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the session ends, in Unix milliseconds. Set where `requireSession` let the request through. */
    sessionEndsAtMs: number;
  }
}

/** An `onRequest` hook: no session, no answer but 401. */
export function requireSession(sessions: Sessions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const endsAtMs = sessions.endOf(request.cookies[SESSION_COOKIE], Date.now());
    if (endsAtMs === undefined) return sendProblem(reply, 401, 'sign in first');
    request.sessionEndsAtMs = endsAtMs;
    return undefined;
  };
}

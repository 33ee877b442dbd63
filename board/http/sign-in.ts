import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitFailedSignIns } from './failed-sign-in.ts';
import { sendProblem } from './problem.ts';
import { eventOf, type ServedEvent } from './served-event.ts';
import type { Sessions } from './session.ts';
import { equalInConstantTime } from './signed-token.ts';

const SESSION_COOKIE = 'triagem_session';

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

export type SessionsOf = (event: ServedEvent) => Sessions;

/** `POST /api/sign-in`: 204 and a session for the one account of the event's dashboards. */
export function addSignIn(app: FastifyInstance, sessionsOf: SessionsOf): void {
  const answerFailure = limitFailedSignIns(app);

  app.post<{ Body: SignInBody }>('/api/sign-in', { schema: { body: BODY } }, async (request, reply) => {
    const { email, key } = request.body;
    const event = eventOf(request);
    // Both are compared, whatever the first gives.
    const emailFits = equalInConstantTime(email, event.account.email);
    const keyFits = equalInConstantTime(key, event.account.key);
    if (emailFits && keyFits) {
      const sessions = sessionsOf(event);
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
    return answerFailure(request, reply, { log: 'sign-in failed', detail: 'e-mail or key is wrong' });
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the session ends, in Unix milliseconds. Set where `requireSession` let the request through. */
    sessionEndsAtMs: number;
  }
}

/** An `onRequest` hook: no session, no answer but 401. */
export function requireSession(sessionsOf: SessionsOf) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const endsAtMs = sessionsOf(eventOf(request)).endOf(request.cookies[SESSION_COOKIE], Date.now());
    if (endsAtMs === undefined) return sendProblem(reply, 401, 'sign in first');
    request.sessionEndsAtMs = endsAtMs;
    return undefined;
  };
}

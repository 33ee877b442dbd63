import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from '../../board/http/problem.ts';
import { eventOf, type ServedEvent } from '../../board/http/served-event.ts';
import type { DeskSession, DeskSessions } from './desk-session.ts';

/** The cookie is sent to the desk only, not to the wall. */
const COOKIE_PATH = '/fluxo';
const COOKIE = 'triagem_desk';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireDeskSession`. */
    deskSession: DeskSession | undefined;
  }
}

export type DeskSessionsOf = (event: ServedEvent) => DeskSessions;

/** An `onRequest` hook that answers 401 without a session of the event's desk. */
export function requireDeskSession(sessionsOf: DeskSessionsOf) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const session = sessionsOf(eventOf(request)).read(request.cookies[COOKIE], Date.now());
    if (session === undefined) return sendProblem(reply, 401, 'sign in first');
    request.deskSession = session;
    request.sessionEndsAtMs = session.endsAtMs;
    return undefined;
  };
}

export function sessionOf({ deskSession }: FastifyRequest): DeskSession {
  if (deskSession === undefined) throw new Error('unreachable: the route asks for a session');
  return deskSession;
}

/** An `onRequest` hook behind `requireDeskSession` that answers 429 to more requests of a session in a minute. */
export function paceSession(app: FastifyInstance, maxPerMinute: number) {
  const limitSession = app.createRateLimit({
    max: maxPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => sessionOf(request).id,
  });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const limit = await limitSession(request);
    if (limit.isAllowed || !limit.isExceeded) return undefined;
    return sendProblem(reply.header('retry-after', limit.ttlInSeconds), 429, 'this desk asks too often');
  };
}

/** Answers 204 with the session's cookie. */
export function sendSession(reply: FastifyReply, sessions: DeskSessions, session: DeskSession): FastifyReply {
  return reply
    .setCookie(COOKIE, sessions.tokenOf(session), {
      path: COOKIE_PATH,
      httpOnly: true,
      sameSite: 'strict',
      secure: reply.request.protocol === 'https',
      maxAge: Math.ceil((session.endsAtMs - Date.now()) / 1_000),
    })
    .header('cache-control', 'no-store')
    .code(204)
    .send();
}

/** Answers 204 and removes the cookie. */
export function clearSession(reply: FastifyReply): FastifyReply {
  return reply
    .clearCookie(COOKIE, { path: COOKIE_PATH })
    .header('cache-control', 'no-store')
    .code(204)
    .send();
}

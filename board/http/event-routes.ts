import type { FastifyInstance } from 'fastify';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { answerLive } from './live-stream.ts';
import { sendProblem } from './problem.ts';
import { type PageHasSeen, passOnSeen } from './seen-timeline.ts';
import { eventOf } from './served-event.ts';
import { requireSession, type SessionsOf } from './sign-in.ts';

export interface EventRoutesOptions {
  readonly sessionsOf: SessionsOf;
  /** It counts the streams of all events. */
  readonly limiter: ConnectionLimiter;
  readonly pageHasSeen: PageHasSeen;
}

/** Adds the routes at which a session reads its event, below `/api/events/{eventId}`. */
export async function addEventRoutes(app: FastifyInstance, options: EventRoutesOptions): Promise<void> {
  await app.register(
    async (event) => {
      // The path must name the event of the host: for any other event there is no route.
      event.addHook<{ Params: { eventId: string } }>('onRequest', async (request, reply) =>
        request.params.eventId === eventOf(request).eventId ? undefined : sendProblem(reply, 404),
      );
      event.addHook('onRequest', requireSession(options.sessionsOf));
      event.get<{ Querystring: { venue?: string; pace?: string } }>('/live', (request, reply) => {
        // A page names the venue whose rows it displays. It never gets the counts of other rows.
        if (request.query.venue !== eventOf(request).venue?.venueId) {
          return sendProblem(reply, 409, 'these are the counts of another venue');
        }
        const { pace = '' } = request.query;
        passOnSeen(request, options.pageHasSeen);
        const paceMs = /^\d{1,5}$/.test(pace) ? Number(pace) : 0;
        return answerLive(request, reply, { limiter: options.limiter, paceMs });
      });
      event.get<{ Querystring: { isValidTicket?: string } }>('/tickets/count', async (request, reply) => {
        const { isValidTicket, ...others } = request.query;
        if (isValidTicket !== 'true' || Object.keys(others).length > 0) {
          return sendProblem(reply, 400, 'only isValidTicket=true can be counted, and nothing beside it');
        }
        const { validTickets: count } = eventOf(request).fanOut;
        if (count === undefined)
          return sendProblem(reply.header('retry-after', 1), 503, 'the counts are not live');
        return reply.header('cache-control', 'no-store').send({ count });
      });
    },
    { prefix: '/api/events/:eventId' },
  );
}

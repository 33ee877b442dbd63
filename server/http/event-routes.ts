import type { FastifyInstance } from 'fastify';
import type { CountsPart } from '../../domain/event-state.ts';
import { answerLive, type LiveStreamOptions } from './live-stream.ts';
import { sendProblem } from './problem.ts';
import type { Sessions } from './session.ts';
import { requireSession } from './sign-in.ts';

export interface EventRoutesOptions extends LiveStreamOptions {
  readonly eventId: string;
  /** `undefined`: that of the default venue. */
  readonly venueId: string | undefined;
  readonly sessions: Sessions;
  /** `undefined` before the first counts. */
  readonly counts: () => CountsPart | undefined;
}

/** What a session may read of this event, below `/api/events/{eventId}`. */
export async function addEventRoutes(app: FastifyInstance, options: EventRoutesOptions): Promise<void> {
  await app.register(
    async (event) => {
      // Another event is not there, whatever the session.
      event.addHook<{ Params: { eventId: string } }>('onRequest', async (request, reply) =>
        request.params.eventId === options.eventId ? undefined : sendProblem(reply, 404),
      );
      event.addHook('onRequest', requireSession(options.sessions));
      event.get<{ Querystring: { venue?: string } }>('/live', (request, reply) => {
        // Counts of another venue's rows are never sent: a page with rows of its own asks for their counts.
        if (request.query.venue !== options.venueId) {
          return sendProblem(reply, 409, 'these are the counts of another venue');
        }
        return answerLive(request, reply, options);
      });
      event.get<{ Querystring: { isValidTicket?: string } }>('/tickets/count', async (request, reply) => {
        if (request.query.isValidTicket !== 'true') {
          return sendProblem(reply, 400, 'only isValidTicket=true can be counted');
        }
        const counts = options.counts();
        if (!counts) return sendProblem(reply.header('retry-after', 1), 503, 'nothing has been counted yet');
        return reply.header('cache-control', 'no-store').send({ count: counts.valid });
      });
    },
    { prefix: '/api/events/:eventId' },
  );
}

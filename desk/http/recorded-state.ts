import type { FastifyInstance } from 'fastify';
import { MINUTE_MS } from '../model/series/minute.ts';
import { sendProblem } from '../../board/http/problem.ts';
import { deskOf } from './served-desk.ts';
import { readWholeNumber } from './whole-number.ts';

/** `GET …/state?at=MS` returns the state that was displayed at the first end of a minute at or after that instant. */
export function addRecordedState(app: FastifyInstance): void {
  app.get<{ Querystring: Record<string, unknown> }>('/state', async (request, reply) => {
    const atMs = readWholeNumber('at', request.query['at']);
    const state = await deskOf(request).stateAt(Math.ceil(atMs / MINUTE_MS) * MINUTE_MS);
    if (!state) return sendProblem(reply, 404, 'nothing is recorded of that minute');
    return reply.header('cache-control', 'no-store').send(state);
  });
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { isEventId, oneEventId } from '../../domain/event.ts';
import type { Activity } from './activity.ts';
import { requireKey } from './authorization.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { BodyFormat } from './message-splitter.ts';
import { type Body, readBody } from './read-body.ts';
import { sendProblem } from './problem.ts';
import { Refusal } from './refusal.ts';
import { instantText } from './sent-at.ts';

export interface TicketRouteOptions {
  readonly keyDigest: Buffer;
  readonly queue: CommitQueue;
  readonly activity: Activity;
  readonly clocks: ClockWatch;
}

interface Route {
  Params: { eventId: string };
  Querystring: Record<string, string | string[]>;
  Body: Body | undefined;
}

const FORMATS: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

/** `POST /events/{eventId}/tickets` */
export function addTicketRoute(
  app: FastifyInstance,
  { keyDigest, queue, activity, clocks }: TicketRouteOptions,
): void {
  app.removeAllContentTypeParsers();
  for (const [type, format] of Object.entries(FORMATS)) {
    app.addContentTypeParser(type, (request: FastifyRequest, stream: IncomingMessage) =>
      readBody(stream, request.headers, format),
    );
  }
  app.addContentTypeParser('*', async () => {
    throw wrongType();
  });
  app.post<Route>(
    '/events/:eventId/tickets',
    {
      onRequest: requireKey(app, keyDigest),
      preParsing: refuseBeforeReading,
      onResponse: async ({ params }, { statusCode }) => activity.noteAnswer(params.eventId, statusCode),
    },
    async (request, reply) => {
      const { body, params } = request;
      if (!body) throw wrongType();
      try {
        // A connection that waits for its answer is silent.
        request.raw.socket.setTimeout(0);
        const mayCreate = readCreate(request.query);
        const eventId = oneEventId(params.eventId);
        const { messages, outcome } = body;
        const address = request.ip;
        clocks.noteSent(
          messages.flatMap(({ gate = address, at, ageMs }) => (at === undefined ? [] : [{ gate, ageMs }])),
        );
        // Where all messages are wrong, they are refused even while nothing can be written.
        if (messages.length > 0 || outcome.messages === 0) {
          const receivedAt = instantText(Date.now());
          const written = { eventId, mayCreate, messages, receivedAt, address, released: [] };
          outcome.add(await queue.submit(written));
        }
        activity.note(eventId, outcome);
        const refusal = outcome.toRefusal();
        if (refusal) return await sendProblem(reply, refusal);
        return await reply
          .header('cache-control', 'no-store')
          .header('x-content-type-options', 'nosniff')
          .send(outcome.toSummary());
      } finally {
        body.release();
      }
    },
  );
}

async function refuseBeforeReading(request: FastifyRequest): Promise<void> {
  const { params, query, headers } = request as FastifyRequest<Route>;
  readCreate(query);
  if (!isEventId(params.eventId)) throw new Refusal(404, 'An event ID is 32 hexadecimal characters.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(415, 'A compressed body is not read: send it as it is.');
  }
}

function readCreate(query: Route['Querystring']): boolean {
  const { create = 'false', ...others } = query;
  if (Object.keys(others).length > 0) throw new Refusal(400, 'The query knows nothing but create.');
  if (create !== 'true' && create !== 'false') throw new Refusal(400, 'create is neither true nor false.');
  return create === 'true';
}

function wrongType(): Refusal {
  return new Refusal(
    415,
    'The body must be application/json (an object or an array), or application/x-ndjson (an object in each line).',
  );
}

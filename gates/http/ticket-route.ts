import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { isEventId } from '../../domain/event.ts';
import type { Activity } from './activity.ts';
import { requireKey } from './authorization.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { BodyFormat } from './message-splitter.ts';
import { type Body, readBody } from './read-body.ts';
import { Refusal } from './refusal.ts';

export interface TicketRouteOptions {
  readonly keyDigest: Buffer;
  readonly queue: CommitQueue;
  readonly activity: Activity;
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
  { keyDigest, queue, activity }: TicketRouteOptions,
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
      onError: async ({ params }) => activity.noteRefused(params.eventId),
    },
    async (request, reply) => {
      const { body, params } = request;
      if (!body) throw wrongType();
      try {
        // The connection is silent while it waits for its answer.
        request.raw.socket.setTimeout(0);
        const mayCreate = readCreate(request.query);
        const { eventId } = params;
        const summary = await queue.submit({ eventId, mayCreate, messages: body.messages });
        activity.note(eventId, summary);
        return await reply
          .header('cache-control', 'no-store')
          .header('x-content-type-options', 'nosniff')
          .send(summary);
      } finally {
        body.release();
      }
    },
  );
}

/** What needs no body to be refused. */
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

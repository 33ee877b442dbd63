import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isEventId, oneEventId } from '../../domain/event.ts';
import { quoteValue } from '../cli/errors.ts';
import type { Activity } from './activity.ts';
import { requireKey } from './authorization.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { BodyFormat } from './message-splitter.ts';
import { type Body, readBody } from './read-body.ts';
import { sendProblem } from './problem.ts';
import { Refusal } from './refusal.ts';
import type { RequestOutcome } from './request-outcome.ts';
import { instantText } from './sent-at.ts';

/** Where messages go, and where they are counted. */
export interface Intake {
  readonly queue: CommitQueue;
  readonly activity: Activity;
  readonly clocks: ClockWatch;
}

export interface TicketRouteOptions extends Intake {
  readonly keyDigest: Buffer;
}

/** What a body is written to. `address` stands for the gate of messages that name none. */
export interface Destination {
  readonly eventId: string;
  readonly mayCreate: boolean;
  readonly address: string;
}

export interface Route<B> {
  Params: { eventId: string };
  Querystring: Record<string, string | string[]>;
  Body: B | undefined;
}

const FORMATS: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

/** `POST /events/{eventId}/tickets` */
export function addTicketRoute(app: FastifyInstance, { keyDigest, ...intake }: TicketRouteOptions): void {
  app.removeAllContentTypeParsers();
  for (const [type, format] of Object.entries(FORMATS)) {
    app.addContentTypeParser(type, (request: FastifyRequest, stream: IncomingMessage) =>
      readBody(stream, request.headers, format),
    );
  }
  app.addContentTypeParser('*', async () => {
    throw wrongType();
  });
  refuseOtherMethods(app, '/events/:eventId/tickets', intake.activity);
  app.post<Route<Body>>(
    '/events/:eventId/tickets',
    {
      onRequest: requireKey(app, keyDigest, 'Bearer'),
      preParsing: async ({ params, query, headers }) => {
        readCreate(query);
        refuseUnread(params.eventId, headers);
      },
      onResponse: async ({ params }, { statusCode }) =>
        intake.activity.noteAnswer(oneEventId(params.eventId), statusCode),
    },
    async (request, reply) => {
      const { body, params, query, ip: address } = request;
      if (!body) throw wrongType();
      // A connection that waits for its answer is silent.
      request.raw.socket.setTimeout(0);
      const destination = { eventId: oneEventId(params.eventId), mayCreate: readCreate(query), address };
      return answerOutcome(reply, await writeBody(intake, body, destination));
    },
  );
}

/** Answers whatever is no POST at a path that takes nothing else, in words that name what it takes. */
export function refuseOtherMethods(app: FastifyInstance, url: string, activity: Activity): void {
  app.route<Route<unknown>>({
    method: app.supportedMethods.filter((method) => method !== 'POST'),
    url,
    onRequest: async ({ method }, reply) => {
      reply.header('allow', 'POST');
      throw new Refusal(405, `Send it with POST: ${method} changes nothing here.`);
    },
    onResponse: async ({ params }, { statusCode }) =>
      activity.noteAnswer(oneEventId(params.eventId), statusCode),
    handler: async () => {},
  });
}

/** Writes the messages of a body. Resolves after the commit. @throws Refusal where they cannot be written. */
export async function writeBody(
  { queue, activity, clocks }: Intake,
  body: Body,
  { eventId, mayCreate, address }: Destination,
): Promise<RequestOutcome> {
  const { messages, outcome } = body;
  try {
    clocks.noteSent(
      messages.flatMap(({ gate = address, at, ageMs }) => (at === undefined ? [] : [{ gate, ageMs }])),
    );
    // Where all messages are wrong, they are refused even while nothing can be written.
    if (messages.length > 0 || outcome.messages === 0) {
      const receivedAt = instantText(Date.now());
      const written = { eventId, mayCreate, messages, receivedAt, address, released: [] };
      outcome.add(await queue.submit(written));
    }
    activity.note(eventId, outcome, address);
    return outcome;
  } finally {
    body.release();
  }
}

export function answerOutcome(reply: FastifyReply, outcome: RequestOutcome): FastifyReply {
  const refusal = outcome.toRefusal();
  if (refusal) return sendProblem(reply, refusal);
  return reply
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(outcome.toSummary());
}

/** @throws Refusal of a request whose body need not be read. */
export function refuseUnread(eventId: string, headers: IncomingHttpHeaders): void {
  if (!isEventId(eventId)) throw new Refusal(404, 'An event ID is 32 hexadecimal characters.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(415, 'A compressed body is not read: send it as it is.');
  }
}

/** Reads `?create=true`. @throws Refusal of any other query. */
export function readCreate(query: Route<unknown>['Querystring']): boolean {
  const { create = 'false', ...others } = query;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Refusal(400, `The query knows nothing of ${quoteValue(unknown)}.`);
  if (create !== 'true' && create !== 'false') throw new Refusal(400, 'create is neither true nor false.');
  return create === 'true';
}

function wrongType(): Refusal {
  return new Refusal(
    415,
    'The body must be application/json (an object or an array), or application/x-ndjson (an object in each line).',
  );
}

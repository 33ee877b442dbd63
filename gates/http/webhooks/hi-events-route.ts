import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { oneEventId } from '../../../domain/event.ts';
import { answerFailures } from '../authorization.ts';
import { readMapped } from '../read-body.ts';
import { Refusal } from '../refusal.ts';
import {
  answerOutcome,
  type Intake,
  readCreate,
  refuseOtherMethods,
  refuseUnread,
  type Route,
  writeBody,
} from '../ticket-route.ts';
import { HI_EVENTS, type MappingOptions, mapWebhook } from './mapping.ts';
import { parseWebhook, type WebhookBody } from './webhook-request.ts';

const UNSIGNED = 'The header "Signature" is missing, or is not of this body with GATES_HI_EVENTS_SECRET.';

/** `POST /events/{eventId}/hi-events`. Two events of one second are applied in the order of their arrival. */
export function addHiEventsRoute(app: FastifyInstance, secrets: readonly string[], intake: Intake): void {
  const fail = answerFailures(app);
  refuseOtherMethods(app, '/events/:eventId/hi-events', intake.activity);
  app.post<Route<WebhookBody>>(
    '/events/:eventId/hi-events',
    {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        if (!signatureOf(request)) await fail(request, reply, UNSIGNED);
      },
      preParsing: async ({ params, query, headers }) => {
        readOptions(query);
        refuseUnread(params.eventId, headers);
      },
      onResponse: async ({ params }, { statusCode }) =>
        intake.activity.noteAnswer(params.eventId, statusCode),
    },
    async (request, reply) => {
      const { body, params, query, ip: address } = request;
      if (!body) throw new Refusal(415, 'The body of a webhook must be application/json.');
      request.raw.socket.setTimeout(0);
      try {
        if (!isSigned(body.bytes, signatureOf(request), secrets)) await fail(request, reply, UNSIGNED);
        const options = readOptions(query);
        const messages = await readMapped(mapWebhook(HI_EVENTS, parseWebhook(body.bytes), options));
        const destination = { eventId: oneEventId(params.eventId), mayCreate: options.mayCreate, address };
        return answerOutcome(reply, await writeBody(intake, messages, destination));
      } finally {
        body.release();
      }
    },
  );
}

/** Returns undefined where the header cannot be an HMAC-SHA256. */
function signatureOf({ headers }: FastifyRequest): Buffer | undefined {
  const { signature } = headers;
  return typeof signature === 'string' && /^[\da-f]{64}$/i.test(signature)
    ? Buffer.from(signature, 'hex')
    : undefined;
}

function isSigned(bytes: Buffer, signature: Buffer | undefined, secrets: readonly string[]): boolean {
  return secrets.some((secret) => {
    const right = createHmac('sha256', secret).update(bytes).digest();
    return signature !== undefined && timingSafeEqual(right, signature);
  });
}

/** `?create=true&list=12` */
function readOptions({ list, ...query }: Route<unknown>['Querystring']): MappingOptions {
  // Of two lists, a check-in that is undone on one would take out who is in by the other.
  if (list !== undefined && !(typeof list === 'string' && /^[1-9]\d{0,17}$/.test(list)))
    throw new Refusal(400, 'list is not the number of one check-in list.');
  return { mayCreate: readCreate(query), list };
}

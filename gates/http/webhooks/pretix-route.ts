import type { FastifyInstance } from 'fastify';
import { oneEventId } from '../../../domain/event.ts';
import { requireKey } from '../authorization.ts';
import { Refusal } from '../refusal.ts';
import { RequestOutcome } from '../request-outcome.ts';
import {
  answerOutcome,
  readCreate,
  refuseOtherMethods,
  refuseUnread,
  type Route,
  type TicketRouteOptions,
} from '../ticket-route.ts';
import type { PretixOrders } from './pretix-orders.ts';
import type { PretixSettings } from './settings.ts';
import { parseWebhook, type WebhookBody } from './webhook-request.ts';

/** The actions after which tickets may be others. Deleted orders cannot be asked for. */
const ACTIONS = /^pretix\.event\.(checkin|order\.(?!deleted$))/;

/**
 * `POST /events/{eventId}/pretix`. The webhook only says which order to ask for. It is answered after the commit; with any
 * error, pretix sends it again.
 */
export function addPretixRoute(
  app: FastifyInstance,
  settings: PretixSettings,
  orders: PretixOrders,
  { keyDigest, activity }: Pick<TicketRouteOptions, 'keyDigest' | 'activity'>,
): void {
  refuseOtherMethods(app, '/events/:eventId/pretix', activity);
  app.post<Route<WebhookBody>>(
    '/events/:eventId/pretix',
    {
      onRequest: requireKey(app, keyDigest, 'Basic'),
      preParsing: async ({ params, query, headers }) => {
        readCreate(query);
        refuseUnread(params.eventId, headers);
        if (oneEventId(params.eventId) !== settings.eventId) {
          throw new Refusal(404, `The tickets of pretix are those of EVENT_ID, ${settings.eventId}.`);
        }
      },
      onResponse: async ({ params }, { statusCode }) => activity.noteAnswer(params.eventId, statusCode),
    },
    async (request, reply) => {
      const { body, query } = request;
      if (!body) throw new Refusal(415, 'The body of a webhook must be application/json.');
      request.raw.socket.setTimeout(0);
      let code: string | undefined;
      try {
        code = readCode(parseWebhook(body.bytes), settings);
      } finally {
        body.release();
      }
      const mayCreate = readCreate(query);
      const outcome = code === undefined ? new RequestOutcome() : await orders.refresh(code, mayCreate);
      return answerOutcome(reply, outcome);
    },
  );
}

/** Returns undefined where no ticket of the event can have changed. @throws Refusal of what is no webhook of pretix. */
function readCode(sent: Readonly<Record<string, unknown>>, settings: PretixSettings): string | undefined {
  const { action, organizer, event, code } = sent;
  if (typeof action !== 'string')
    throw new Refusal(422, 'The body has no "action", as webhooks of pretix have.');
  if (organizer !== settings.organizer || event !== settings.event || !ACTIONS.test(action)) return undefined;
  // It becomes part of an address.
  if (typeof code !== 'string' || !/^[\dA-Za-z]{1,16}$/.test(code)) {
    throw new Refusal(422, 'Its "code" is not that of an order.');
  }
  return code.toUpperCase();
}

import type { FastifyInstance } from 'fastify';
import { DURATIONS, type Durations } from '../limits.ts';
import type { TicketRouteOptions } from '../ticket-route.ts';
import { addHiEventsRoute } from './hi-events-route.ts';
import { PretixOrders } from './pretix-orders.ts';
import { addPretixRoute } from './pretix-route.ts';
import { sweepAnnulled } from './pretix-sweep.ts';
import type { PretixWatch } from './pretix-watch.ts';
import type { WebhookSettings } from './settings.ts';
import { parseAsBytes } from './webhook-request.ts';

export interface WebhookOptions extends TicketRouteOptions, WebhookSettings {
  readonly durations?: Durations | undefined;
  readonly pretixWatch: PretixWatch;
  /** Ends what goes on beside requests. */
  readonly stop: AbortSignal;
  readonly log: (line: string) => void;
}

/** Adds the routes of those services that have settings. */
export async function addWebhooks(app: FastifyInstance, options: WebhookOptions): Promise<void> {
  const { hiEventsSecrets, pretix, pretixWatch, stop, log, durations = DURATIONS } = options;
  parseAsBytes(app);
  if (hiEventsSecrets.length > 0) addHiEventsRoute(app, hiEventsSecrets, options);
  if (!pretix) return;
  const asked = { ...pretix, stop, watch: pretixWatch, answerMs: durations.pretixMs };
  const orders = new PretixOrders(asked, options, log);
  addPretixRoute(app, pretix, orders, options);
  void sweepAnnulled(asked, orders, durations.sweepMs, log);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  CheckinList,
  PretixCheckin,
  PretixOrder,
  PretixPosition,
} from '../../gates/http/webhooks/pretix-api.ts';
import { closeOnce } from '../close-once.ts';

type Annulled = PretixCheckin & { readonly position: number };

/** A stand-in for pretix's REST API, with one event and one check-in list, as pretix documents them. */
export interface PretixStandIn {
  readonly env: Record<string, string>;
  /** Check-in list 7. */
  readonly list: CheckinList;
  readonly orders: Map<string, PretixOrder>;
  readonly annulled: Annulled[];
  /** The paths that were asked for, without those of the sweep and the list. */
  readonly asked: string[];
  /** Answers everything with this status, or with 0 cuts the connection; undefined: as pretix would. */
  fault: number | undefined;
  /** By path, a status or a body that is answered to it, whatever pretix would. */
  readonly instead: Map<string, number | object>;
  /** Awaited before each answer about an order, which is made before. */
  delay: (() => Promise<void>) | undefined;
}

const BASE = '/api/v1/organizers/clube/events/final/';
const PAGE_LENGTH = 2;

export async function startPretixStandIn(eventId: string): Promise<PretixStandIn> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const path = pathname.slice(BASE.length);
    if (path.startsWith('order')) pretix.asked.push(path);
    const instead = pretix.fault ?? pretix.instead.get(path);
    if (instead === 0) return void request.socket.destroy();
    if (typeof instead === 'number') return answer(instead, { detail: 'fault' });
    if (instead !== undefined) return answer(200, instead);
    if (request.headers.authorization !== 'Token um-token') return answer(401, { detail: 'token' });
    if (!pathname.startsWith(BASE)) return answer(404, { detail: 'Not found.' });
    if (path === 'checkinlists/7/') return answer(200, pretix.list);
    if (path === 'checkins/') {
      const page = Number(searchParams.get('page'));
      const results = searchParams.get('error_reason') === 'annulled' ? pretix.annulled : [];
      const next = results.length > page * PAGE_LENGTH ? 'http://elsewhere.invalid/' : null;
      return answer(200, { next, results: results.slice((page - 1) * PAGE_LENGTH, page * PAGE_LENGTH) });
    }
    const [, kind, key = ''] = /^(orders|orderpositions)\/(\w+)\/$/.exec(path) ?? [];
    const positions = [...pretix.orders.values()].flatMap((order) => order.positions);
    const found = kind === 'orders' ? pretix.orders.get(key) : positions.find(({ id }) => id === Number(key));
    const body = structuredClone(found);
    if (kind === 'orders') await pretix.delay?.();
    return body ? answer(200, body) : answer(404, { detail: 'Not found.' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeOnce(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const pretix: PretixStandIn = {
    env: {
      EVENT_ID: eventId,
      GATES_PRETIX_URL: `http://127.0.0.1:${port}${BASE}checkinlists/7/`,
      GATES_PRETIX_TOKEN: 'um-token',
    },
    list: { all_products: false, limit_products: [4, 9], subevent: null, include_pending: false },
    orders: new Map(),
    annulled: [],
    asked: [],
    fault: undefined,
    instead: new Map(),
    delay: undefined,
  };
  return pretix;
}

/** A position of order `order`, with check-ins of list 7 or of those named. */
export function position(
  order: string,
  secret: string,
  checkins: readonly Partial<PretixCheckin>[] = [],
  more: Partial<PretixPosition> = {},
): PretixPosition {
  return {
    id: 100 + secret.charCodeAt(0),
    order,
    item: 4,
    secret,
    canceled: false,
    blocked: null,
    checkins: checkins.map((checkin, index) => ({
      id: index,
      list: 7,
      datetime: '2025-03-26T20:15:00-03:00',
      type: 'entry',
      ...checkin,
    })),
    ...more,
  };
}

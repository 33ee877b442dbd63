import type { FastifyRequest } from 'fastify';
import type { Desk } from '../flow/desk.ts';
import { eventOf, type ServedDesk, type ServedEvent } from '../../board/http/served-event.ts';

/** Where one event has a desk, all have. */
export function servedDeskOf({ desk }: ServedEvent): ServedDesk {
  if (desk === undefined) throw new Error('unreachable: an event without a desk beside one with a desk');
  return desk;
}

/** The desk of the event that the request names. */
export function deskOf(request: FastifyRequest): Desk {
  return servedDeskOf(eventOf(request)).desk;
}

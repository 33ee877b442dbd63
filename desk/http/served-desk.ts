import type { FastifyRequest } from 'fastify';
import type { Desk } from '../flow/desk.ts';
import { eventOf, type ServedEvent } from '../../board/http/served-event.ts';

/** The desk of a served event, and its key. */
export interface ServedDesk {
  readonly key: string;
  readonly desk: Desk;
  /** Tests shorten it. */
  readonly sessionLifetimeMs?: number | undefined;
  /** How long recording a command may take; tests shorten it. */
  readonly commandMs?: number | undefined;
}

declare module '../../board/http/served-event.ts' {
  interface ServedEvent {
    readonly desk?: ServedDesk | undefined;
  }
}

/** If one event has a desk, all have. */
export function servedDeskOf({ desk }: ServedEvent): ServedDesk {
  if (desk === undefined) throw new Error('unreachable: an event without a desk beside one with a desk');
  return desk;
}

export function deskOf(request: FastifyRequest): Desk {
  return servedDeskOf(eventOf(request)).desk;
}

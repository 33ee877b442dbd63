import type { FastifyRequest } from 'fastify';
import type { Desk } from '../flow/desk.ts';
import { eventOf, type ServedEvent } from '../../board/http/served-event.ts';

/** The desk of a served event, and who may sit there. */
export interface ServedDesk {
  readonly key: string;
  readonly desk: Desk;
  /** For tests; a session lasts fourteen hours. */
  readonly sessionLifetimeMs?: number | undefined;
  /** So long a command may take to be recorded. For tests; ten seconds in use. */
  readonly commandMs?: number | undefined;
}

declare module '../../board/http/served-event.ts' {
  interface ServedEvent {
    /** `undefined`: there is no desk. */
    readonly desk?: ServedDesk | undefined;
  }
}

/** Where one event has a desk, all have. */
export function servedDeskOf({ desk }: ServedEvent): ServedDesk {
  if (desk === undefined) throw new Error('unreachable: an event without a desk beside one with a desk');
  return desk;
}

/** The desk of the event that the request names. */
export function deskOf(request: FastifyRequest): Desk {
  return servedDeskOf(eventOf(request)).desk;
}

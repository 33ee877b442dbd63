import type { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest } from './write-requests.ts';

/** A request that is not answered yet. */
export interface QueuedRequest {
  readonly request: TicketRequest;
  readonly settle: (result: RequestOutcome | Error) => void;
}

export const MAX_GROUP_MESSAGES = 1_000;
/** A larger body has a commit of its own, and leaves a writer for the others. */
const MAX_SMALL_MESSAGES = 200;

export function isSmall(request: TicketRequest): boolean {
  return sizeOf(request) <= MAX_SMALL_MESSAGES;
}

export function sizeOf({ messages, released }: TicketRequest): number {
  return messages.length + released.length;
}

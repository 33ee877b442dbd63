import type { FastifyRequest } from 'fastify';
import { isShortTimeline } from '../../domain/log-position.ts';

/** Takes the timeline that a page claims to have seen; `undefined` ignores it. */
export type PageHasSeen = ((timeline: string) => void) | undefined;

/** Passes on the timeline that the page of a stream has seen, if the request has it (`?seen=`). */
export function passOnSeen({ query }: FastifyRequest, pageHasSeen: PageHasSeen): void {
  const { seen } = query as { readonly seen?: unknown };
  if (typeof seen === 'string' && isShortTimeline(seen)) pageHasSeen?.(seen);
}

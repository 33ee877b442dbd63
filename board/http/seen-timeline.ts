import type { FastifyRequest } from 'fastify';
import { isShortTimeline } from '../../domain/log-position.ts';

/** `undefined`: nobody looks for it. */
export type PageHasSeen = ((timeline: string) => void) | undefined;

/** Passes on which timeline the page has seen that asks for a stream, if it says so (`?seen=`). */
export function passOnSeen({ query }: FastifyRequest, pageHasSeen: PageHasSeen): void {
  const { seen } = query as { readonly seen?: unknown };
  if (typeof seen === 'string' && isShortTimeline(seen)) pageHasSeen?.(seen);
}

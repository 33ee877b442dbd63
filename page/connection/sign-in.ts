import type { ShownVenue } from '../../domain/shown-venue.ts';
import type { SignInResult } from './connection.ts';
import { readRefusal, UNREACHABLE } from './retry-policy.ts';

/** What the page may read: an event's counts, in the rows of a venue. */
export interface Session {
  readonly eventId: string;
  /** `undefined`: the default venue. */
  readonly venue: ShownVenue | undefined;
}

/**
 * The address of the counts in the rows of this venue; a server with other rows refuses it. `paceMs`: the least time
 * between frames. `seen`: the highest timeline that the page has displayed, for which an edge then looks.
 */
export function countsUrl({ eventId, venue }: Session, paceMs: number, seen: string | null): string {
  const query = [venue && `venue=${venue.venueId}`, paceMs && `pace=${paceMs}`, seen && `seen=${seen}`];
  const asked = query.filter(Boolean).join('&');
  return `/api/events/${encodeURIComponent(eventId)}/live${asked && `?${asked}`}`;
}

/**
 * Signs in with the account of `/config.json`, which is read again each time: a changed key needs no reload. The session is
 * a cookie, which the page cannot see. Never rejects.
 */
export async function signIn(options: {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}): Promise<SignInResult<Session>> {
  const { fetch, signal } = options;
  try {
    const configAnswer = await fetch('/config.json', { cache: 'no-store', signal });
    if (!configAnswer.ok) return readRefusal(configAnswer);
    const config = (await configAnswer.json()) as { eventId: string; email: string; key: string };
    const { eventId, email, key } = config;
    if ([eventId, email, key].some((text) => typeof text !== 'string')) return UNREACHABLE;
    const answer = await fetch('/api/sign-in', {
      method: 'POST',
      cache: 'no-store',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, key }),
      signal,
    });
    await answer.body?.cancel();
    const venue = 'venueId' in config ? (config as unknown as ShownVenue) : undefined;
    return answer.ok ? { kind: 'signed-in', session: { eventId, venue } } : readRefusal(answer);
  } catch {
    return UNREACHABLE;
  }
}

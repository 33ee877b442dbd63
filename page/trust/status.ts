import { PAGE_AGE_MS } from '../../domain/freshness.ts';
import type { SourceState } from '../../domain/live-message.ts';
import { elapsedMs, type Instant } from './page-clock.ts';

/**
 * The status that the screen displays. `ageMs`: how long ago the numbers were last verified.
 *
 *   connecting ──first data──▶ live ◀──▶ no-connection   the stream is shut, silent, undecided, or the page awoke
 *                          └───▶ no-source ◀──┘          the stream is well, the server has no database
 *
 * `connecting` is never entered again.
 */
export type Status =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'no-connection' | 'no-source'; readonly ageMs: number };

/** What the current connection has received. Nothing is carried over to the next connection. */
export interface ConnectionState {
  readonly open: boolean;
  readonly source?: Pick<SourceState, 'live'> | undefined;
  /** The newest message was sent at this instant or later, by the page's clock. */
  readonly sentAt?: Instant | undefined;
  /** The page awoke and has received nothing since. */
  readonly awoke: boolean;
}

/** The data was true `ageMs` before `at`. */
export interface TrueAt {
  readonly ageMs: number;
  readonly at: Instant;
}

/** `trueAt` is `undefined` while the screen displays no data. */
export function readStatus(connection: ConnectionState, trueAt: TrueAt | undefined, now: Instant): Status {
  if (!trueAt) return { kind: 'connecting' };
  const { open, source, sentAt, awoke } = connection;
  const isFresh = open && !awoke && sentAt !== undefined && elapsedMs(sentAt, now) <= PAGE_AGE_MS;
  if (isFresh && source?.live) return { kind: 'live' };
  return { kind: isFresh && source ? 'no-source' : 'no-connection', ageMs: ageOf(trueAt, now) };
}

export function ageOf({ ageMs, at }: TrueAt, now: Instant): number {
  return ageMs + elapsedMs(at, now);
}

/** Compares ages in whole seconds, as the screen displays them. */
export function isSameStatus(a: Status, b: Status): boolean {
  if (a.kind !== b.kind) return false;
  return !('ageMs' in a) || !('ageMs' in b) || Math.floor(a.ageMs / 1000) === Math.floor(b.ageMs / 1000);
}

import { isDeskState } from '../../model/desk-state-shape.ts';
import type { DeskState } from '../../model/desk-state.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { readRetryAfterMs } from '../../../page/connection/retry-policy.ts';

/** Why a recorded minute could not be read. */
export type ReplayProblem =
  /** The page asks again after `retryMs`. */
  | { readonly kind: 'no-answer' | 'busy'; readonly retryMs: number }
  /** The page asks again once somebody has signed in. */
  | { readonly kind: 'session-ended' }
  | { readonly kind: 'not-recorded'; readonly minuteMs: number }
  | { readonly kind: 'refused'; readonly status: number };

const RETRY_MS = 3_000;

/** Reads the desk's state at the end of the minute that begins at `minuteMs`. Rejects only if `signal` is aborted. */
export async function readRecorded(
  url: string,
  minuteMs: number,
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<DeskState | ReplayProblem> {
  try {
    const response = await fetch(`${url}/state?at=${minuteMs + MINUTE_MS}`, { cache: 'no-store', signal });
    const { status } = response;
    if (response.ok) {
      const state: unknown = await response.json();
      return isDeskState(state) ? (state as DeskState) : { kind: 'refused', status };
    }
    if (status === 401) return { kind: 'session-ended' };
    if (status === 404) return { kind: 'not-recorded', minuteMs };
    const retryMs = readRetryAfterMs(response) ?? RETRY_MS;
    if (status === 429) return { kind: 'busy', retryMs };
    return status >= 500 ? { kind: 'no-answer', retryMs } : { kind: 'refused', status };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'no-answer', retryMs: RETRY_MS };
  }
}

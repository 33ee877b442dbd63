/** Why the page tries again: the server was unreachable, or it refused the request. */
export type Failure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterMs: number | undefined };

export const UNREACHABLE: Failure = { kind: 'unreachable' };

const FIRST_DELAY_MS = 250;
const LONGEST_UNREACHABLE_MS = 1_000;
const LONGEST_REFUSED_MS = 8_000;
const RETRY_AFTER_SPREAD_MS = 1_000;

/**
 * Returns the milliseconds to wait before attempt number `failures + 1`. An unreachable server is asked again within a
 * second, without end: a wall must recover by itself, and soon. A server that names a time (429, 503) is asked at that
 * time, spread over a second so that not all screens come at once. `random` gives 0 ≤ x < 1.
 */
export function retryDelayMs(failure: Failure, failures: number, random: () => number): number {
  if (failure.kind === 'refused') {
    const { status, retryAfterMs } = failure;
    if ((status === 429 || status === 503) && retryAfterMs !== undefined) {
      return retryAfterMs + random() * RETRY_AFTER_SPREAD_MS;
    }
    if (status < 500) return spread(failures, LONGEST_REFUSED_MS, random);
  }
  return spread(failures, LONGEST_UNREACHABLE_MS, random);
}

/** Returns between half and the whole of a delay that doubles up to `longestMs`. */
function spread(failures: number, longestMs: number, random: () => number): number {
  const delayMs = Math.min(longestMs, FIRST_DELAY_MS * 2 ** failures);
  return delayMs * (0.5 + random() / 2);
}

export function readRefusal(response: Response): Extract<Failure, { kind: 'refused' }> {
  return { kind: 'refused', status: response.status, retryAfterMs: readRetryAfterMs(response) };
}

/** Reads the Retry-After header; `undefined` where it is missing, is a date, or is more than eleven days. */
export function readRetryAfterMs(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : undefined;
}

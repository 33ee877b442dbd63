import { signMessage } from './signature.ts';

/** Whose URL it is that messages are posted to. */
export interface WebhookTarget {
  readonly url: string;
  /** Signs each message. */
  readonly key: Buffer;
}

/** What is said to the receiver of one entry of the log. */
export interface WebhookMessage {
  /** ASCII; the same entry again has the same. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

export type PostResult =
  | { readonly kind: 'taken'; readonly status: number }
  /** It has read the message and will never take it. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Another attempt may succeed; `retryAfterMs`: not before, as the receiver asks. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number };

/** Of a message, and not of how or when it was sent. */
const REFUSING: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Posts it once. Never rejects. The receiver's answer is not read: its status says all. */
export async function postMessage(
  { url, key }: WebhookTarget,
  { id, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<PostResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Triagem',
        ...signMessage(key, id, body, Date.now()),
      },
      body,
      // Where a redirect leads to, nobody has set.
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    const { status, ok } = response;
    if (ok) return { kind: 'taken', status };
    if (REFUSING.has(status)) return { kind: 'refused', status };
    return { kind: 'failed', reason: `it answers ${status}`, retryAfterMs: retryAfterMs(response) };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error), retryAfterMs: 0 };
  }
}

/** A date, which a header may hold, too, counts as not given. */
function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

/** Without the URL, which may hold a secret of the receiver's. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it does not answer in time';
  const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message?: string };
  return typeof code === 'string' ? code : (message ?? 'it cannot be reached');
}

import { signMessage } from './signature.ts';
import type { WebhookTarget } from './webhook-target.ts';

/** A message about one entry of the log. */
export interface WebhookMessage {
  /** An ASCII id; a repeated entry has the same. */
  readonly id: string;
  readonly body: string;
}

export type PostResult =
  | { readonly kind: 'taken'; readonly status: number }
  /** The receiver will never accept the message. */
  | { readonly kind: 'refused'; readonly status: number }
  /** Another attempt may succeed, after `retryAfterMs` at the earliest. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number };

/** Statuses that refuse the message itself, at any time. */
const REFUSING: ReadonlySet<number> = new Set([400, 413, 415, 422]);

const UNKNOWN_AUTHORITY =
  'nobody whom this machine trusts vouches for its certificate: name the file of its authority in NODE_EXTRA_CA_CERTS';
/** Explains the codes of OpenSSL and Node. */
const CERTIFICATE_FAULTS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name than the address has'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet: is the clock of this machine right?'],
]);

/** Posts a message once, and never rejects. Only the status of the answer is read. */
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
      // Nobody has configured the target of a redirect.
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

/** Ignores dates, which the header may have, too. */
function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

/** Leaves the URL out, which may hold a secret of the receiver. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it does not answer in time';
  const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message?: string };
  if (typeof code !== 'string') return message ?? 'it cannot be reached';
  const fault = CERTIFICATE_FAULTS.get(code);
  return fault === undefined ? code : `${fault} (${code})`;
}

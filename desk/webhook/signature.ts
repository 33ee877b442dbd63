import { createHmac } from 'node:crypto';

/** What a receiver verifies a message by (www.standardwebhooks.com): these three headers, and the body as it came. */
export interface SignedHeaders {
  /** The same message again has the same. */
  readonly 'webhook-id': string;
  /** When it was sent: seconds since 1970, so that an old message cannot be played again. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** `atMs`: now, since 1970. */
export function signMessage(key: Buffer, id: string, body: string, atMs: number): SignedHeaders {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

import { createHmac } from 'node:crypto';

/** The headers by which a receiver verifies a message (www.standardwebhooks.com). */
export interface SignedHeaders {
  /** A repeated message has the same id. */
  readonly 'webhook-id': string;
  /** When it was sent, in seconds since 1970, against replays. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** `atMs` is milliseconds since 1970. */
export function signMessage(key: Buffer, id: string, body: string, atMs: number): SignedHeaders {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

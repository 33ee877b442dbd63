import { createHash } from 'node:crypto';
import { readTrustedProxies } from '../../board/http/trusted-proxies.ts';
import type { Environment } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { readWebhookSettings, type WebhookSettings } from './webhooks/settings.ts';

export interface HttpSettings extends WebhookSettings {
  readonly host: string;
  readonly port: number;
  readonly keyDigest: Buffer;
  /** TRUST_PROXY, in Fastify's form. */
  readonly trustProxy: boolean | string;
}

export const DEFAULT_PORT = 3001;
/** The user agent of `check`: when it tries a key that is wrong, no gate is refused. */
export const CHECK_AGENT = 'triagem gates check';
const MIN_KEY_LENGTH = 16;
const MAKE_ONE = 'Make one with "openssl rand -hex 24", and give it to those who send tickets.';

/** @throws UsageError that names what is wrong. */
export function readHttpSettings(env: Environment): HttpSettings {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const key = read('GATES_HTTP_KEY');
  if (key === undefined) throw new UsageError(`GATES_HTTP_KEY is missing. ${MAKE_ONE}`);
  if (key.length < MIN_KEY_LENGTH) {
    throw new UsageError(`GATES_HTTP_KEY is shorter than ${MIN_KEY_LENGTH} characters. ${MAKE_ONE}`);
  }
  // A header carries no other characters unchanged.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`GATES_HTTP_KEY holds a space or a letter beyond ASCII. ${MAKE_ONE}`);
  }
  const port = read('GATES_HTTP_PORT') ?? String(DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`GATES_HTTP_PORT is "${port}", which is no port from 0 to 65535.`);
  }
  return {
    host: read('GATES_HTTP_HOST') ?? '127.0.0.1',
    port: Number(port),
    keyDigest: digestKey(key),
    trustProxy: readTrustProxy(read('TRUST_PROXY')),
    ...readWebhookSettings(env),
  };
}

function readTrustProxy(value: string | undefined): boolean | string {
  try {
    return readTrustedProxies(value);
  } catch (error) {
    throw new UsageError(`${(error as RangeError).message}.`);
  }
}

/** Digests have one length, so that two keys can be compared in constant time. */
export function digestKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

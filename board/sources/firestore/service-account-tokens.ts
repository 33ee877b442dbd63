import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FirestoreError } from './firestore-error.ts';
import { type NewToken, requestToken, textOf } from './token-request.ts';

const SCOPE = 'https://www.googleapis.com/auth/datastore';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFETIME_S = 3_600;

interface ServiceAccount {
  readonly email: string;
  readonly keyId: string;
  readonly key: KeyObject;
  readonly tokenUrl: string;
}

/** Access tokens of OAuth for the service account whose key is in this file, which is read each time. */
export function serviceAccountTokens(file: string): (signal: AbortSignal) => Promise<NewToken> {
  return async (signal) => {
    const account = await readAccount(file);
    const form = new URLSearchParams({ grant_type: GRANT, assertion: signAssertion(account) });
    const { status, body } = await requestToken(
      'The token service of Google',
      account.tokenUrl,
      form,
      signal,
    );
    const lifetimeMs = Number(body['expires_in']) * 1_000;
    if (status === 200 && !Number.isNaN(lifetimeMs) && textOf(body['access_token']) !== '')
      return { value: textOf(body['access_token']), lifetimeMs };
    const isRefused = status >= 400 && status < 500 && status !== 429;
    const why = textOf(body['error_description']) || textOf(body['error']) || `status ${status}`;
    throw new FirestoreError(
      isRefused
        ? `Google refuses the service account (${why.slice(0, 200)}): make it a new key, and set this machine's clock right`
        : `Google gives no token now (${why.slice(0, 200)}): it is asked again`,
      { shouldRetry: !isRefused },
    );
  };
}

async function readAccount(file: string): Promise<ServiceAccount> {
  const fail = (cause: string, fix: string, error?: unknown): never => {
    throw new FirestoreError(`GOOGLE_APPLICATION_CREDENTIALS names ${file}, ${cause}: ${fix}`, {
      shouldRetry: false,
      cause: error,
    });
  };
  const text = await readFile(file, 'utf8').catch((error: unknown) =>
    fail('which cannot be read', 'correct the path, or let this account read it', error),
  );
  try {
    const read = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (read['type'] !== 'service_account') throw new Error('another type');
    return {
      email: textOf(read['client_email']),
      keyId: textOf(read['private_key_id']),
      key: createPrivateKey(textOf(read['private_key'])),
      tokenUrl: new URL(textOf(read['token_uri'])).href,
    };
  } catch (error) {
    return fail('which is no key of a service account', 'make a JSON key in the Google Cloud console', error);
  }
}

function signAssertion({ email, keyId, key, tokenUrl }: ServiceAccount): string {
  const nowS = Math.floor(Date.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', kid: keyId };
  const claims = { iss: email, scope: SCOPE, aud: tokenUrl, iat: nowS, exp: nowS + LIFETIME_S };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode(header)}.${encode(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

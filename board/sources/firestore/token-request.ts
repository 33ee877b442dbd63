import { FirestoreError } from './firestore-error.ts';

/** An answer that does not come within this long is waited for no more. */
const ANSWER_LIMIT_MS = 5_000;

/** A new token. `lifetimeMs`: from now on. */
export interface NewToken {
  readonly value: string;
  readonly lifetimeMs: number;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts a form or JSON to a service that gives tokens. `service`: its name in words. */
export async function requestToken(
  service: string,
  url: string,
  body: URLSearchParams | object,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const isForm = body instanceof URLSearchParams;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: isForm ? {} : { 'content-type': 'application/json' },
      body: isForm ? body : JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    const text = await answer.text();
    return { status: answer.status, body: parse(text) };
  } catch (error) {
    throw new FirestoreError(
      `${service} (${new URL(url).host}) does not answer${causeOf(error)}: let the firewall pass it; it is asked again`,
      { shouldRetry: true, cause: error },
    );
  }
}

function parse(text: string): TokenAnswer['body'] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as TokenAnswer['body']) : {};
  } catch {
    return {};
  }
}

/** Returns the cause of an error of `fetch`, whose own message has none. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : error.name;
  return typeof code === 'string' ? ` (${code})` : '';
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

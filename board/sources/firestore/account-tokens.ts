import { FirestoreError } from './firestore-error.ts';
import type { FirestoreCredentials, FirestoreSettings } from './firestore-settings.ts';
import { type NewToken, requestToken, textOf, type TokenAnswer } from './token-request.ts';

type Account = Extract<FirestoreCredentials, { kind: 'account' }>;

const SERVICE = 'The identity service of Firebase';

/**
 * The ID tokens of an account of the project: signs in with e-mail and password, and refreshes from then on. An account
 * whose refresh token is no longer good, as its password was changed, signs in anew.
 */
export function accountTokens(
  { authEmulatorHost }: FirestoreSettings,
  { apiKey, email, password }: Account,
): (signal: AbortSignal) => Promise<NewToken> {
  const urlOf = (service: string, path: string): string => {
    const origin =
      authEmulatorHost === undefined ? `https://${service}` : `http://${authEmulatorHost}/${service}`;
    return `${origin}/v1/${path}?key=${encodeURIComponent(apiKey)}`;
  };
  let refreshToken = '';

  const take = (idToken: unknown, refresh: unknown, expiresIn: unknown): NewToken => {
    refreshToken = textOf(refresh);
    const lifetimeMs = Number(expiresIn) * 1_000;
    if (textOf(idToken) === '' || Number.isNaN(lifetimeMs))
      throw new FirestoreError(`${SERVICE} answers with no token: correct FIREBASE_AUTH_EMULATOR_HOST`, {
        shouldRetry: true,
      });
    return { value: textOf(idToken), lifetimeMs };
  };

  const refresh = async (signal: AbortSignal): Promise<NewToken | undefined> => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const { status, body } = await requestToken(
      SERVICE,
      urlOf('securetoken.googleapis.com', 'token'),
      form,
      signal,
    );
    return status === 200 ? take(body['id_token'], body['refresh_token'], body['expires_in']) : undefined;
  };

  return async (signal) => {
    const refreshed = refreshToken === '' ? undefined : await refresh(signal);
    if (refreshed) return refreshed;
    refreshToken = '';
    const url = urlOf('identitytoolkit.googleapis.com', 'accounts:signInWithPassword');
    const answer = await requestToken(SERVICE, url, { email, password, returnSecureToken: true }, signal);
    const { status, body } = answer;
    if (status !== 200) throw signInError(answer);
    return take(body['idToken'], body['refreshToken'], body['expiresIn']);
  };
}

/** What the service answers: `EMAIL_NOT_FOUND`, or `TOO_MANY_ATTEMPTS_TRY_LATER : Access was disabled for a while`. */
function signInError({ status, body }: TokenAnswer): FirestoreError {
  const { error } = body;
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? textOf(error.message) : '';
  const code = /^[A-Z]+(?:_[A-Z]+)+(?= |$)/.exec(message)?.[0] ?? '';
  const fault = faultOf(status, code, message);
  return new FirestoreError(`${fault.cause} (${code || `status ${status}`}): ${fault.fix}`, fault);
}

function faultOf(
  status: number,
  code: string,
  message: string,
): {
  readonly cause: string;
  readonly fix: string;
  readonly shouldRetry: boolean;
  readonly takesLong?: boolean;
} {
  switch (code) {
    case 'USER_DISABLED':
      return {
        cause: 'The account of FIREBASE_EMAIL is disabled',
        fix: 'enable it in the Firebase console, or name another one',
        shouldRetry: false,
      };
    case 'INVALID_LOGIN_CREDENTIALS':
    case 'INVALID_PASSWORD':
    case 'EMAIL_NOT_FOUND':
    case 'INVALID_EMAIL':
    case 'MISSING_PASSWORD':
      return {
        cause: 'Firebase refuses the sign-in',
        fix: 'correct FIREBASE_EMAIL and FIREBASE_PASSWORD',
        shouldRetry: false,
      };
    case 'OPERATION_NOT_ALLOWED':
    case 'PASSWORD_LOGIN_DISABLED':
    case 'CONFIGURATION_NOT_FOUND':
      return {
        cause: 'The project signs nobody in with e-mail and password',
        fix: 'enable this provider in the Firebase console',
        shouldRetry: false,
      };
    case 'TOO_MANY_ATTEMPTS_TRY_LATER':
      return {
        cause: 'Firebase has had too many sign-ins that failed',
        fix: 'correct FIREBASE_PASSWORD, and wait some minutes',
        shouldRetry: true,
        takesLong: true,
      };
    default:
      return status < 500 && /api key/i.test(message)
        ? { cause: 'Firebase refuses the API key', fix: 'correct FIREBASE_API_KEY', shouldRetry: false }
        : { cause: 'Firebase cannot sign the account in now', fix: 'it is asked again', shouldRetry: true };
  }
}

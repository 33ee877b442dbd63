import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { idTokenOf, readFields } from '../../tools/demo/firestore/identity-stand-in.ts';
import { closeOnce } from '../close-once.ts';
import { makeTestFolder } from '../folder.ts';
import { listenLocally } from '../server/port.ts';

/** Whom a token stands for. */
export type TokenHolder =
  | { readonly kind: 'service-account' }
  | {
      readonly kind: 'account';
      readonly email: string;
      /** Whether the token may still be used. */
      isValid(): boolean;
    };

/**
 * A stand-in for Google's identity services: sign-in with e-mail and password, refresh of tokens, and tokens of a service
 * account. Its ID tokens are unsigned, as the Firestore emulator accepts them.
 */
export interface IdentityStandIn {
  /** `host:port`, as FIREBASE_AUTH_EMULATOR_HOST names it. */
  readonly host: string;
  readonly apiKey: string;
  /** The path of a service account's key file. */
  readonly serviceAccountFile: string;
  /** How many sign-ins and refreshes have been asked for. */
  readonly requests: { readonly signIns: number; readonly refreshes: number };
  addAccount(email: string, password: string): void;
  /** Its refresh tokens are revoked by it. */
  changePassword(email: string, password: string): void;
  disable(email: string): void;
  enable(email: string): void;
  /** ID tokens and access tokens that were given until now have expired. */
  expireTokens(): void;
  /** Everything is answered with this HTTP status; `undefined`: as it should be. */
  failWith(httpStatus: number | undefined): void;
  /** `undefined` where it was never given, or must no longer be used. */
  holderOf(token: string): TokenHolder | undefined;
}

interface Account {
  readonly email: string;
  readonly id: string;
  password: string;
  isDisabled: boolean;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface IdentityOptions {
  readonly project?: string;
  /** The lifetime that each token states. */
  readonly lifetimeS?: number;
}

/** An hour, as at Google. */
const LIFETIME_S = 3_600;

/** Starts it; ended with the test. */
export async function startIdentityStandIn({
  project = 'triagem-test',
  lifetimeS = LIFETIME_S,
}: IdentityOptions = {}): Promise<IdentityStandIn> {
  const accounts = new Map<string, Account>();
  const refreshTokens = new Map<string, Account>();
  const holders = new Map<string, Account | 'service-account'>();
  const apiKey = `key-${newId()}`;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const requests = { signIns: 0, refreshes: 0 };
  let failure: number | undefined;

  const server = createServer(async (request, response) => {
    const { status, body } = failure === undefined ? await answer(request) : refusal(failure, 'UNAVAILABLE');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const host = `127.0.0.1:${await listenLocally(server)}`;
  closeOnce(() => {
    server.closeAllConnections();
    server.close();
  });
  const tokenUri = `http://${host}/token`;
  const clientEmail = `triagem@${project}.iam.gserviceaccount.com`;
  const folder = makeTestFolder({
    'service-account.json': JSON.stringify({
      type: 'service_account',
      project_id: project,
      private_key_id: newId(),
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: clientEmail,
      token_uri: tokenUri,
    }),
  });

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const sent = await text(request);
    const fields = readFields(sent);
    if (pathname === '/token') return tokenOfServiceAccount(fields);
    if (searchParams.get('key') !== apiKey)
      return refusal(400, 'API key not valid. Please pass a valid API key.');
    if (pathname.endsWith('/v1/accounts:signInWithPassword')) return signIn(fields);
    if (pathname.endsWith('/v1/accounts:lookup')) return lookUp(fields);
    if (pathname.endsWith('/v1/token')) return refresh(fields);
    return refusal(404, `The stand-in for Google's identity services does not play ${pathname}.`);
  }

  function signIn({ email = '', password }: Record<string, string>): Answer {
    requests.signIns += 1;
    const account = accounts.get(email);
    if (!account || account.password !== password) return refusal(400, 'INVALID_LOGIN_CREDENTIALS');
    if (account.isDisabled) return refusal(400, 'USER_DISABLED');
    const { idToken, refreshToken } = tokensOf(account);
    const { id: localId } = account;
    const expiresIn = String(lifetimeS);
    return { status: 200, body: { localId, email, idToken, registered: true, refreshToken, expiresIn } };
  }

  function refresh(fields: Record<string, string>): Answer {
    requests.refreshes += 1;
    const account = refreshTokens.get(fields['refresh_token'] ?? '');
    if (fields['grant_type'] !== 'refresh_token') return refusal(400, 'INVALID_GRANT_TYPE');
    if (!account) return refusal(400, 'TOKEN_EXPIRED');
    if (account.isDisabled) return refusal(400, 'USER_DISABLED');
    const { idToken, refreshToken } = tokensOf(account);
    const body = {
      access_token: idToken,
      expires_in: String(lifetimeS),
      token_type: 'Bearer',
      refresh_token: refreshToken,
      id_token: idToken,
      user_id: account.id,
      project_id: project,
    };
    return { status: 200, body };
  }

  function lookUp({ idToken = '' }: Record<string, string>): Answer {
    const account = holders.get(idToken);
    if (!account || account === 'service-account') return refusal(400, 'INVALID_ID_TOKEN');
    return { status: 200, body: { users: [{ localId: account.id, email: account.email }] } };
  }

  function tokensOf(account: Account): { readonly idToken: string; readonly refreshToken: string } {
    const idToken = idTokenOf(account, project, lifetimeS);
    const refreshToken = `refresh-${newId()}`;
    holders.set(idToken, account);
    refreshTokens.set(refreshToken, account);
    return { idToken, refreshToken };
  }

  function tokenOfServiceAccount({ assertion = '', ...fields }: Record<string, string>): Answer {
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(publicKey, signature, 'base64url');
    if (fields['grant_type'] !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !isSigned)
      return { status: 400, body: invalidGrant('Invalid JWT Signature.') };
    const {
      iss,
      aud,
      exp = 0,
    } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      readonly iss?: string;
      readonly aud?: string;
      readonly exp?: number;
    };
    if (iss !== clientEmail || aud !== tokenUri || exp * 1_000 < Date.now())
      return { status: 400, body: invalidGrant('Invalid JWT: it is for another service, or has expired.') };
    const token = `access-${newId()}`;
    holders.set(token, 'service-account');
    return { status: 200, body: { access_token: token, expires_in: lifetimeS, token_type: 'Bearer' } };
  }

  function accountOf(email: string): Account {
    const account = accounts.get(email);
    if (!account) throw new Error(`there is no account ${email}`);
    return account;
  }

  return {
    host,
    apiKey,
    serviceAccountFile: `${folder}/service-account.json`,
    requests,
    addAccount(email, password) {
      accounts.set(email, { email, id: newId(), password, isDisabled: false });
    },
    changePassword(email, password) {
      const account = accountOf(email);
      account.password = password;
      for (const [token, holder] of refreshTokens) if (holder === account) refreshTokens.delete(token);
    },
    disable: (email) => void (accountOf(email).isDisabled = true),
    enable: (email) => void (accountOf(email).isDisabled = false),
    expireTokens: () => holders.clear(),
    failWith: (httpStatus) => void (failure = httpStatus),
    holderOf(token) {
      const holder = holders.get(token);
      if (!holder) return undefined;
      if (holder === 'service-account') return { kind: holder };
      return { kind: 'account', email: holder.email, isValid: () => holders.has(token) };
    },
  };
}

function refusal(status: number, message: string): Answer {
  return { status, body: { error: { code: status, message, status: 'INVALID_ARGUMENT' } } };
}

function invalidGrant(description: string): unknown {
  return { error: 'invalid_grant', error_description: description };
}

function newId(): string {
  return randomBytes(14).toString('hex');
}

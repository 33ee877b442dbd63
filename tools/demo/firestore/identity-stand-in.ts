import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { IdentityService } from './identity.ts';

const LIFETIME_S = 3_600;
/** The page of a Firebase project has another origin. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
};

interface Account {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Starts a stand-in for Google's identity service. It signs its accounts in with e-mail and password, and refreshes their
 * tokens, which are unsigned: only the Firestore emulator accepts them.
 */
export async function startIdentityStandIn(project: string): Promise<IdentityService> {
  const accounts = new Map<string, Account>();
  const byRefreshToken = new Map<string, Account>();

  function answer(path: string, sent: Record<string, string>): object | undefined {
    if (path.endsWith('/v1/accounts:signInWithPassword')) {
      const account = accounts.get(sent['email'] ?? '');
      return account && account.password === sent['password'] ? signedIn(account) : undefined;
    }
    if (path.endsWith('/v1/accounts:lookup')) {
      const account = accountOf(sent['idToken'] ?? '');
      return account && { users: [{ localId: account.id, email: account.email }] };
    }
    const account = path.endsWith('/v1/token') ? byRefreshToken.get(sent['refresh_token'] ?? '') : undefined;
    if (!account) return undefined;
    const { idToken, refreshToken, expiresIn } = signedIn(account);
    return { id_token: idToken, refresh_token: refreshToken, expires_in: expiresIn, user_id: account.id };
  }

  function signedIn(account: Account) {
    const refreshToken = randomBytes(16).toString('hex');
    byRefreshToken.set(refreshToken, account);
    const { id: localId, email } = account;
    const idToken = idTokenOf(account, project, LIFETIME_S);
    return { localId, email, idToken, refreshToken, expiresIn: `${LIFETIME_S}` };
  }

  function accountOf(idToken: string): Account | undefined {
    const claims = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
    return accounts.get((JSON.parse(claims || '{}') as { readonly email?: string }).email ?? '');
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://stand-in');
    const sent = readFields(await text(request));
    const body = request.method === 'POST' ? answer(pathname, sent) : {};
    response.writeHead(body ? 200 : 400, { ...ANY_ORIGIN, 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: { code: 400, message: 'INVALID_LOGIN_CREDENTIALS' } }));
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    isStandIn: true,
    createAccount(email, password) {
      const account = { id: randomBytes(14).toString('hex'), email, password };
      accounts.set(email, account);
      return Promise.resolve(account.id);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

/** Returns a JWT without a signature, unlike any other. */
export function idTokenOf(
  { id, email }: Pick<Account, 'id' | 'email'>,
  project: string,
  lifetimeS: number,
): string {
  const nowS = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: `https://securetoken.google.com/${project}`,
    aud: project,
    sub: id,
    user_id: id,
    auth_time: nowS,
    iat: nowS,
    exp: nowS + lifetimeS,
    email,
    firebase: { identities: { email: [email] }, sign_in_provider: 'password' },
    jti: randomBytes(14).toString('hex'),
  };
  const parts = [{ alg: 'none', typ: 'JWT' }, claims];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
}

/** Reads the fields of a form, or of JSON. */
export function readFields(sent: string): Record<string, string> {
  if (!sent.startsWith('{')) return Object.fromEntries(new URLSearchParams(sent));
  return JSON.parse(sent) as Record<string, string>;
}

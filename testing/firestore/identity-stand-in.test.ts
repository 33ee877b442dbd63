import { createPrivateKey, createSign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { openForEach } from '../open-for-tests.ts';
import { until } from '../until.ts';
import { startIdentityStandIn } from './identity-stand-in.ts';
import { openRawListener, ticketsTarget } from './raw-listener.ts';
import { startFirestoreStandIn } from './stand-in.ts';

const [PROJECT, EMAIL, PASSWORD] = ['triagem-test', 'painel@example.org', 'secret'];
const ALL = { targetId: 2, ...ticketsTarget(PROJECT, 'e') };

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly error?: { readonly message?: string } | string;
  };
}

const identity = openForEach(async () => {
  const standIn = await startIdentityStandIn();
  standIn.addAccount(EMAIL, PASSWORD);
  return standIn;
});

async function post(path: string, body: string | URLSearchParams): Promise<Answer> {
  const answer = await fetch(`http://${identity.host}${path}`, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

function signIn(password = PASSWORD, key = identity.apiKey): Promise<Answer> {
  const body = JSON.stringify({ email: EMAIL, password, returnSecureToken: true });
  return post(`/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${key}`, body);
}

function refresh(token: unknown): Promise<Answer> {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(token) });
  return post(`/securetoken.googleapis.com/v1/token?key=${identity.apiKey}`, form);
}

const refusedWith = (message: string) => ({ status: 400, body: { error: { message } } });

describe("the stand-in for Google's identity services", () => {
  test('signs an account in, and refreshes its token until the password changes or it is disabled', async () => {
    const { body } = await signIn();
    expect(body).toMatchObject({ email: EMAIL, expiresIn: '3600' });
    expect(identity.holderOf(String(body['idToken']))).toMatchObject({ kind: 'account', email: EMAIL });
    const again = await refresh(body['refreshToken']);
    expect(again.body).toMatchObject({ expires_in: '3600', token_type: 'Bearer' });
    expect(again.body['id_token']).not.toBe(body['idToken']);
    identity.disable(EMAIL);
    expect(await refresh(again.body['refresh_token'])).toMatchObject(refusedWith('USER_DISABLED'));
    expect(await signIn()).toMatchObject(refusedWith('USER_DISABLED'));
    identity.enable(EMAIL);
    identity.changePassword(EMAIL, 'another');
    expect(await refresh(again.body['refresh_token'])).toMatchObject(refusedWith('TOKEN_EXPIRED'));
    expect(await signIn()).toMatchObject(refusedWith('INVALID_LOGIN_CREDENTIALS'));
    expect(await signIn('another', 'key')).toMatchObject(
      refusedWith('API key not valid. Please pass a valid API key.'),
    );
    expect((await signIn('another')).status).toBe(200);
    identity.failWith(503);
    expect((await signIn('another')).status).toBe(503);
    expect(identity.requests).toEqual({ signIns: 4, refreshes: 3 });
  });

  test('gives a service account a token for what it has signed, and for nothing else', async () => {
    const key = JSON.parse(readFileSync(identity.serviceAccountFile, 'utf8')) as Record<string, string>;
    const ask = (changes: object, isSigned = true): Promise<Answer> => {
      const nowS = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: key['client_email'],
        aud: key['token_uri'],
        iat: nowS,
        exp: nowS + 3_600,
        ...changes,
      };
      const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = createSign('RSA-SHA256')
        .update(isSigned ? signed : 'something else')
        .sign(createPrivateKey(key['private_key'] ?? ''), 'base64url');
      const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      return post('/token', new URLSearchParams({ grant_type, assertion: `${signed}.${signature}` }));
    };
    const { body } = await ask({});
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 });
    expect(identity.holderOf(String(body['access_token']))).toEqual({ kind: 'service-account' });
    const refusal = { status: 400, body: { error: 'invalid_grant' } };
    expect(await ask({}, false)).toMatchObject(refusal);
    expect(await ask({ aud: 'https://example.org' })).toMatchObject(refusal);
    expect(await ask({ exp: 1 })).toMatchObject(refusal);
  });

  test('has the stand-in for Firestore let in whom it knows: an expired token makes a stream silent', async () => {
    const standIn = await startFirestoreStandIn({ identity });
    const idToken = String((await signIn()).body['idToken']);
    const listener = openRawListener(standIn.host, PROJECT, { token: idToken });
    listener.add(ALL);
    const commit = (id: string) => standIn.commit(PROJECT, new Map([[`events/e/tickets/${id}`, {}]]));
    commit('a');
    await until(() => expect(listener.take()).toContain('change a: 2'));
    identity.expireTokens();
    commit('b');
    const late = openRawListener(standIn.host, PROJECT, { token: idToken });
    await until(() => expect(late.error?.code).toBe(status.UNAUTHENTICATED));
    expect([listener.take(), listener.error]).toEqual([[], undefined]);
    const owner = openRawListener(standIn.host, PROJECT);
    standIn.allowReading(PROJECT, 'another@example.org');
    const stranger = openRawListener(standIn.host, PROJECT, {
      token: String((await signIn()).body['idToken']),
    });
    const anonymous = openRawListener(standIn.host, PROJECT, { token: undefined });
    for (const each of [owner, stranger, anonymous]) each.add(ALL);
    const refused = ['ADD 2', `REMOVE 2 code ${status.PERMISSION_DENIED}`];
    await until(() => expect(stranger.messages).toHaveLength(2));
    await until(() => expect(anonymous.messages).toHaveLength(2));
    expect([stranger.take(), anonymous.take()]).toEqual([refused, refused]);
    await until(() => expect(owner.take()).toContain('change b: 2'));
  });
});

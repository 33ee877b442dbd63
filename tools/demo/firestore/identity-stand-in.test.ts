import { expect, test } from 'vitest';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { startIdentityStandIn } from './identity-stand-in.ts';

const EMAIL = 'painel@triagem.local';
const identity = openForAll(async () => {
  const started = await startIdentityStandIn('demo-triagem');
  closeOnce(() => started.stop());
  return started;
});

async function ask(path: string, body: object): Promise<[status: number, body: Record<string, string>]> {
  const answer = await fetch(`http://${identity.host}/${path}?key=demo`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return [answer.status, (await answer.json()) as Record<string, string>];
}

const signIn = (email: string, password: string) =>
  ask('identitytoolkit.googleapis.com/v1/accounts:signInWithPassword', { email, password });

test('an account signs in with its password, and its token is renewed', async () => {
  const uid = await identity.createAccount(EMAIL, 'senha');
  const [status, signedIn] = await signIn(EMAIL, 'senha');
  expect([status, signedIn['localId'], signedIn['expiresIn']]).toEqual([200, uid, '3600']);
  const [again, renewed] = await ask('securetoken.googleapis.com/v1/token', {
    grant_type: 'refresh_token',
    refresh_token: signedIn['refreshToken'],
  });
  expect([again, renewed['user_id'], renewed['expires_in']]).toEqual([200, uid, '3600']);
  const [, account] = await ask('identitytoolkit.googleapis.com/v1/accounts:lookup', {
    idToken: renewed['id_token'],
  });
  expect(account).toEqual({ users: [{ localId: uid, email: EMAIL }] });
});

test('a wrong password and a made-up refresh token are refused in the words of Google', async () => {
  await identity.createAccount(EMAIL, 'senha');
  const refused = [400, { error: { code: 400, message: 'INVALID_LOGIN_CREDENTIALS' } }];
  expect(await signIn(EMAIL, 'outra')).toEqual(refused);
  expect(await signIn('ninguem@triagem.local', 'senha')).toEqual(refused);
  expect(await ask('securetoken.googleapis.com/v1/token', { refresh_token: 'x' })).toEqual(refused);
});

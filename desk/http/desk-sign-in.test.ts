import { expect, test } from 'vitest';
import { DESK_KEY, startDeskApp } from '../../testing/desk/desk-app.ts';
import { cookieOf, type DeskClient, deskClient, openDesk, postDesk } from '../../testing/desk/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';

const app = openForAll(() => startDeskApp());

const signIn = (name: string): Promise<DeskClient> => openDesk(app.url, { name, key: DESK_KEY });

async function sessionOf(desk: DeskClient): Promise<{ name: string; endsAtMs: number }> {
  const response = await desk.get('/fluxo/api/session');
  expect(response.status).toBe(200);
  return (await response.json()) as { name: string; endsAtMs: number };
}

async function invite(desk: DeskClient): Promise<{ invitation: string; endsAtMs: number }> {
  const response = await desk.post('/fluxo/api/invitations');
  expect(response.status).toBe(200);
  return (await response.json()) as { invitation: string; endsAtMs: number };
}

test('a name and the key open a session of fourteen hours, whose cookie is sent to the desk alone', async () => {
  const response = await postDesk(app.url, '/fluxo/api/sign-in', { name: ' Ana Lúcia ', key: DESK_KEY });
  expect(response.status).toBe(204);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('set-cookie')).toMatch(
    /^triagem_desk=[\w-]+\.[\w-]{43}; Max-Age=50400; Path=\/fluxo; HttpOnly; SameSite=Strict$/,
  );
  const { name, endsAtMs } = await sessionOf(deskClient(app.url, cookieOf(response)));
  expect(name).toBe('Ana Lúcia');
  expect(Math.abs(endsAtMs - Date.now() - 14 * 3_600_000)).toBeLessThan(60_000);
});

test('another operator takes over the session, and its end', async () => {
  const ana = await signIn('Ana');
  const { endsAtMs } = await sessionOf(ana);
  const response = await ana.post('/fluxo/api/operator', { name: 'Bruno' });
  expect(response.status).toBe(204);
  expect(await sessionOf(deskClient(app.url, cookieOf(response)))).toEqual({ name: 'Bruno', endsAtMs });
});

test('a phone enters by an invitation, once, with a name of its own, and stays no longer than its host', async () => {
  const host = await signIn('Ana');
  const begunAtMs = Date.now();
  const { invitation, endsAtMs } = await invite(host);
  expect(endsAtMs - 120_000).toBeGreaterThan(begunAtMs - 1_000);
  expect(endsAtMs - 120_000).toBeLessThan(Date.now() + 1_000);
  const phone = await openDesk(app.url, { name: 'Portão 3', invitation });
  const session = await sessionOf(phone);
  expect(session).toEqual({ name: 'Portão 3', endsAtMs: (await sessionOf(host)).endsAtMs });
  const again = await postDesk(app.url, '/fluxo/api/sign-in', { name: 'Eve', invitation });
  expect(again.status).toBe(401);
  expect(await again.json()).toMatchObject({ detail: 'the invitation is used, or over: show a new one' });
});

test('an invitation of two is used by one', async () => {
  const { invitation } = await invite(await signIn('Ana'));
  const attempts = Array.from({ length: 5 }, (_, index) =>
    postDesk(app.url, '/fluxo/api/sign-in', { name: `phone ${index}`, invitation }),
  );
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([204, 401, 401, 401, 401]);
});

test('a name that cannot be taken uses up no invitation', async () => {
  const { invitation } = await invite(await signIn('Ana'));
  const refused = await postDesk(app.url, '/fluxo/api/sign-in', { name: '', invitation });
  expect(refused.status).toBe(422);
  await expect(openDesk(app.url, { name: 'Bruno', invitation })).resolves.toBeDefined();
});

test('sign-out removes the cookie, with a session or without', async () => {
  const ana = await signIn('Ana');
  for (const response of [
    await ana.post('/fluxo/api/sign-out'),
    await postDesk(app.url, '/fluxo/api/sign-out'),
  ]) {
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toMatch(
      /^triagem_desk=; Max-Age=0; Path=\/fluxo; Expires=Thu, 01 Jan 1970/,
    );
  }
});

test.each([
  ['name', { key: DESK_KEY }],
  ['name', { name: 7, key: DESK_KEY }],
  ['name', { name: 'x'.repeat(61), key: DESK_KEY }],
  ['name', { name: 'Ana\u202E', key: DESK_KEY }],
  ['key', { name: 'Ana' }],
  ['key', { name: 'Ana', key: [DESK_KEY] }],
  ['key', { name: 'Ana', key: DESK_KEY, invitation: 'x' }],
  ['body', { name: 'Ana', key: DESK_KEY, isAdmin: true }],
  ['body', []],
])('what cannot be taken is named: %s of %j', async (field, body) => {
  const response = await postDesk(app.url, '/fluxo/api/sign-in', body);
  expect(response.status).toBe(422);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ type: 'about:blank', status: 422, field });
  expect(text).not.toContain(DESK_KEY);
  expect(response.headers.get('set-cookie')).toBeNull();
});

test('behind TLS the cookie is for TLS alone, and the origin is that of TLS', async () => {
  const proxied = await startDeskApp({ trustProxy: true });
  const headers = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'painel.exemplo.test:8443',
    origin: 'https://painel.exemplo.test:8443',
  };
  const body = { name: 'Ana', key: DESK_KEY };
  const response = await postDesk(proxied.url, '/fluxo/api/sign-in', body, headers);
  expect(response.status).toBe(204);
  expect(response.headers.get('set-cookie')).toMatch(/; Secure; SameSite=Strict$/);
  const plain = { ...headers, origin: 'http://painel.exemplo.test:8443' };
  expect((await postDesk(proxied.url, '/fluxo/api/sign-in', body, plain)).status).toBe(403);
});

test('a sign-in is logged with its name and address, and without what opened it', () => {
  expect(app.logged).toContainEqual(
    expect.objectContaining({ msg: 'signed in to the desk', name: 'Portão 3', address: '127.0.0.1' }),
  );
  const log = JSON.stringify(app.logged);
  for (const secret of [DESK_KEY, 'triagem_desk', 'invitation']) expect(log).not.toContain(secret);
});

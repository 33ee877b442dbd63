import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient, postSignIn } from '../../testing/browser/page-client.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { unhinderedNow, until } from '../../testing/until.ts';

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database));

async function expectProblem(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ type: 'about:blank', status });
  return text;
}

const SECRET = 'nobody-may-log-this';
const GUESS = { email: EMAIL, key: SECRET };

test.each([
  ['broken JSON', `{"email":"a","key":"${SECRET}`],
  ['nothing', ''],
  ['a polluted prototype', `{"email":"a","key":"${SECRET}","__proto__":{"isAdmin":true}}`],
  ['a polluted constructor', `{"email":"a","key":"${SECRET}","constructor":{"prototype":{"isAdmin":true}}}`],
  ['a nested one', `{"email":{"__proto__":{"isAdmin":true}},"key":"${SECRET}"}`],
  ['an array', `["${SECRET}"]`],
  ['text', `"${SECRET}"`],
  ['a missing key', { email: SECRET }],
  ['a key that is no text', { email: SECRET, key: { $ne: '' } }],
])('%s is a problem that repeats nothing and pollutes nothing', async (_what, body) => {
  expect(await expectProblem(await postSignIn(server.url, body), 400)).not.toContain(SECRET);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x'])(
  'a right key as %s, as a form of another site could send it, is a problem',
  async (type) => {
    await expectProblem(await postSignIn(server.url, undefined, { 'content-type': type }), 415);
  },
);

test('a body of one kilobyte is read, and one byte more is not, however it is sent', async () => {
  const padded = (bytes: number): string => {
    const body = JSON.stringify({ email: EMAIL, key: KEY });
    return body + ' '.repeat(bytes - Buffer.byteLength(body));
  };
  expect((await postSignIn(server.url, padded(1_024))).status).toBe(204);
  await expectProblem(await postSignIn(server.url, padded(1_025)), 413);
  const chunked = await fetch(`${server.url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([padded(512), padded(513)]).stream(),
    duplex: 'half',
  } as RequestInit);
  await expectProblem(chunked, 413);
});

test('an untrusted X-Forwarded-For does not dodge the limit of failures', async () => {
  const statuses: number[] = [];
  const retryAfter: number[] = [];
  for (let attempt = 0; attempt < 13; attempt += 1) {
    const forged = { 'x-forwarded-for': `203.0.113.${attempt}`, forwarded: `for=203.0.113.${attempt}` };
    const response = await postSignIn(server.url, GUESS, forged);
    statuses.push(response.status);
    if (response.status === 429) retryAfter.push(Number(response.headers.get('retry-after')));
  }
  expect(statuses.slice(0, 10)).not.toContain(429);
  expect(statuses.slice(-3)).toEqual([429, 429, 429]);
  expect(Math.min(...retryAfter)).toBeGreaterThan(0);
});

test('300 screens behind one address sign in within a minute, beside a guesser who is refused', async () => {
  const stopping = new AbortController();
  let refused = 0;
  const guess = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if ((await postSignIn(server.url, GUESS)).status === 429) refused += 1;
    }
  };
  const guessing = guess();
  const startMs = unhinderedNow();
  const viewers = await Promise.all(Array.from({ length: 300 }, () => openPageClient(server.url)));
  await until(() => expect(viewers.every(({ live }) => live)).toBe(true), 60_000);
  expect(unhinderedNow() - startMs).toBeLessThan(60_000);
  stopping.abort();
  await guessing;
  expect(refused).toBeGreaterThan(0);
});

test('nothing secret was logged by all this, and of the guesses only those below the limit', () => {
  const log = JSON.stringify(server.logged);
  for (const secret of [SECRET, KEY, EMAIL, 'triagem_session']) expect(log).not.toContain(secret);
  expect(log.split('sign-in failed').length - 1).toBeLessThanOrEqual(20);
  expect(log).not.toContain('request failed');
});

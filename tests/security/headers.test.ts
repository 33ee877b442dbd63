import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { fetchOpen, LIVE_PATH, signIn } from '../../testing/browser/page-client.ts';
import { rawRequest, sendRaw } from '../../testing/server/raw-client.ts';
import { startTestServer } from '../../testing/server/test-server.ts';

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database));
const behindTls = openForAll(() => startTestServer(database, { TRUST_PROXY: '127.0.0.1' }));

async function headersOf(url: string, headers: Record<string, string> = {}): Promise<Headers> {
  return (await fetchOpen(url, headers)).headers;
}

const PATHS = ['/', '/config.json', '/healthz', '/static/image/favicon.svg', LIVE_PATH, '/nothing'];

describe.each(PATHS)('the answer to %s', (path) => {
  test('lets the page load from its own origin only, run no script in itself but the built one, and be framed by nobody', async () => {
    const headers = await headersOf(`${server.url}${path}`, { cookie: await signIn(server.url) });
    const policy = (headers.get('content-security-policy') ?? '').split(';');
    const scripts = policy.filter((directive) => directive.startsWith('script-src'));
    expect(scripts).toEqual([expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/)]);
    expect(policy).toContain("style-src 'self'");
    for (const name of ['default-src', 'frame-ancestors', 'base-uri', 'form-action']) {
      expect(policy).toContain(`${name} 'none'`);
    }
    expect(policy.join()).not.toMatch(/unsafe|\*|data:|blob:|http/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('permissions-policy')).toMatch(
      /camera=\(\).*geolocation=\(\).*microphone=\(\).*screen-wake-lock=\(self\)/,
    );
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('lets no other origin read it', async () => {
    const headers = await headersOf(`${server.url}${path}`, { origin: 'https://evil.test' });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('names no server and no version', async () => {
    const headers = await headersOf(`${server.url}${path}`);
    for (const name of ['server', 'x-powered-by', 'via']) expect(headers.has(name)).toBe(false);
    expect(JSON.stringify([...headers])).not.toMatch(/fastify|node|express/i);
  });

  test('asks for TLS behind TLS, and only there', async () => {
    const overTls = await headersOf(`${behindTls.url}${path}`, { 'x-forwarded-proto': 'https' });
    expect(overTls.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
    expect(overTls.get('content-security-policy')).toMatch(/;upgrade-insecure-requests$/);
    // Over plain HTTP; and where the one who claims TLS is not trusted.
    const plain = await headersOf(`${behindTls.url}${path}`);
    const claimed = await headersOf(`${server.url}${path}`, { 'x-forwarded-proto': 'https' });
    for (const headers of [plain, claimed]) {
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.get('content-security-policy')).not.toMatch(/upgrade-insecure/);
    }
  });
});

const LENGTH_1 = { 'content-length': '1' };

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['a path that cannot be read', rawRequest('GET', '/%zz')],
  ['headers that are too large', rawRequest('GET', '/', { x: 'y'.repeat(9_000) })],
  ['another content type', rawRequest('POST', '/api/sign-in', { 'content-type': 'a/b', ...LENGTH_1 }, 'x')],
])('the answer to %s is a problem, repeats nothing, and names no version', async (_what, bytes) => {
  const client = await sendRaw(server.url, bytes);
  expect(client.text()).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(client.text()).toMatch(/content-type: application\/problem\+json/);
  expect(client.text()).toMatch(/x-content-type-options: nosniff/i);
  expect(client.text()).not.toMatch(/fastify|FST_|HPE_|node|%zz|yyy|hello/i);
});

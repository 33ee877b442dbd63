import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { signIn } from '../../testing/page-client.ts';
import { sendRaw } from '../../testing/raw-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let database: TestDatabase;
let server: TestServer;
let behindTls: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer(database);
  behindTls = await startTestServer(database, { TRUST_PROXY: '127.0.0.1' });
});

/** Headers of an answer of every kind; a stream is left at once. */
async function headersOf(url: string, path: string, more: Record<string, string> = {}): Promise<Headers> {
  const leaving = new AbortController();
  const { headers } = await fetch(`${url}${path}`, { headers: more, signal: leaving.signal });
  leaving.abort();
  return headers;
}

const LIVE = `/api/events/${DEFAULT_EVENT_ID}/live`;
const PATHS = ['/', '/config.json', '/healthz', '/static/image/favicon.svg', LIVE, '/nothing'];

describe.each(PATHS)('the answer to %s', (path) => {
  test('lets the page load from its own origin only, run no script in itself but the built one, and be framed by nobody', async () => {
    const headers = await headersOf(server.url, path, { cookie: await signIn(server.url) });
    const policy = (headers.get('content-security-policy') ?? '').split(';');
    expect(policy).toContain("default-src 'none'");
    expect(policy.filter((directive) => directive.startsWith('script-src'))).toEqual([
      expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/),
    ]);
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy.join()).not.toMatch(/unsafe|\*|data:|blob:|http/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('permissions-policy')).toMatch(/camera=\(\).*geolocation=\(\).*microphone=\(\)/);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('lets no other origin read it', async () => {
    const headers = await headersOf(server.url, path, { origin: 'https://evil.test' });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('names no server and no version', async () => {
    const headers = await headersOf(server.url, path);
    for (const name of ['server', 'x-powered-by', 'via']) expect(headers.has(name)).toBe(false);
    expect(JSON.stringify([...headers])).not.toMatch(/fastify|node|express/i);
  });

  test('asks for TLS behind TLS, and only there', async () => {
    const overTls = await headersOf(behindTls.url, path, { 'x-forwarded-proto': 'https' });
    expect(overTls.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
    expect(overTls.get('content-security-policy')).toMatch(/;upgrade-insecure-requests$/);
    // Over plain HTTP; and where the one who claims TLS is not trusted.
    const plain = await headersOf(behindTls.url, path);
    const claimed = await headersOf(server.url, path, { 'x-forwarded-proto': 'https' });
    for (const headers of [plain, claimed]) {
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.get('content-security-policy')).not.toMatch(/upgrade-insecure/);
    }
  });
});

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['a path that cannot be read', 'GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['headers that are too large', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`],
  [
    'another content type',
    'POST /api/sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: a/b\r\ncontent-length: 1\r\n\r\nx',
  ],
])('the answer to %s is a problem, repeats nothing, and names no version', async (_what, bytes) => {
  const client = await sendRaw(server.url, bytes);
  expect(client.text()).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(client.text()).toMatch(/content-type: application\/problem\+json/);
  expect(client.text()).toMatch(/x-content-type-options: nosniff/i);
  expect(client.text()).not.toMatch(/fastify|FST_|HPE_|node|%zz|yyy|hello/i);
});

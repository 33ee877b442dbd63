import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../testing/server/free-port.ts';
import { createTestDatabase, setEntered } from '../../../testing/database/database.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { type Nginx, prepareNginx } from '../../../testing/server/nginx.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { LIVE_PATH } from '../../../testing/browser/page-client.ts';
import { EMAIL, KEY } from '../../../testing/server/server.ts';
import { readiness, startTestServer, untilReady } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

const CONNECTING = '<h1>conectando</h1>';

let boardPort: number;
let nginx: Nginx;
let session: ClientHttp2Session;

beforeAll(async () => {
  boardPort = await freePort();
  nginx = await prepareNginx(boardPort);
  await nginx.start();
  session = connect(nginx.url, { ca: nginx.certificate.pem });
});

afterAll(async () => {
  session?.destroy();
});

async function ask(path: string, headers: Record<string, string> = {}, sent = '', through = session) {
  const call = through.request({ ':path': path, ...headers }, { endStream: !sent });
  if (sent) call.end(sent);
  const [received] = (await once(call, 'response')) as [IncomingHttpHeaders];
  return { status: Number(received[':status']), headers: received, body: await text(call) };
}

function signIn(key: string): ReturnType<typeof ask> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' };
  return ask('/api/sign-in', { ':method': 'POST', ...headers }, JSON.stringify({ email: EMAIL, key }));
}

describe('while the board is away', () => {
  test('its address is answered with a page that waits for it, which is an error and is not kept', async () => {
    for (const path of ['/', '/?wall=3']) {
      const { status, headers, body } = await ask(path);
      expect(body).toContain(CONNECTING);
      expect(status).toBe(502);
      expect(headers['content-type']).toBe('text/html');
      expect(headers['cache-control']).toBe('no-store');
    }
    const head = await ask('/', { ':method': 'HEAD' });
    expect([head.status, head.body]).toEqual([502, '']);
  });

  test('what an open page asks for hears a plain 502', async () => {
    for (const path of ['/config.json', LIVE_PATH, '/static/js/index.js', '/healthz']) {
      const { status, body } = await ask(path);
      expect(status, path).toBe(502);
      expect(body).not.toContain(CONNECTING);
    }
    expect((await signIn(KEY)).status).toBe(502);
  });

  test('that page has no address of its own', async () => {
    expect((await ask('/connecting.html')).status).toBe(404);
  });

  test('a board that takes the call and says nothing is away, too', async () => {
    const frozen = await startNetwork(`http://127.0.0.1:${boardPort}`);
    frozen.hold();
    const before = await prepareNginx(frozen.port);
    await before.start();
    const own = connect(before.url, { ca: before.certificate.pem });
    onTestFinished(() => own.destroy());
    const { status, body } = await ask('/', {}, '', own);
    expect(body).toContain(CONNECTING);
    expect(status).toBe(504);
  });
});

describe('before a board that is there', () => {
  const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
  const server = openForAll(() =>
    startTestServer(database, { PORT: String(boardPort), TRUST_PROXY: '127.0.0.1' }),
  );

  beforeAll(() => untilReady(server));

  test('the page and its files come over HTTP/2, as behind TLS', async () => {
    expect(session.alpnProtocol).toBe('h2');
    const { status, headers, body } = await ask('/');
    expect(status).toBe(200);
    expect(headers['strict-transport-security']).toMatch(/max-age/);
    const script = /src="(\/static\/[^"]+)"/.exec(body)?.[1] ?? '';
    expect((await ask(script)).status).toBe(200);
    expect((await ask('/elsewhere')).headers['content-type']).toMatch(/problem\+json/);
  });

  test('the sign-in gives a session for TLS only, and knows the viewer, whatever it writes of itself', async () => {
    const { status, headers } = await signIn(KEY);
    expect(status).toBe(204);
    expect(headers['set-cookie']?.[0]).toMatch(/; Secure/);
    expect((await signIn('wrong')).status).toBe(401);
    const failure = { msg: 'sign-in failed', address: '127.0.0.1' };
    expect(server.logged).toContainEqual(expect.objectContaining(failure));
  });

  test('what a gate commits passes through the open stream', async () => {
    const cookie = (await signIn(KEY)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const stream = session.request({ ':path': LIVE_PATH, cookie });
    let received = '';
    stream.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await until(() => expect(received).toContain('"total":0'));
    await setEntered(database.gates, 'a', true);
    await until(() => expect(received).toContain('"total":1'));
    stream.close();
  });

  test('/readyz, which may name hosts and processes, is not there', async () => {
    expect((await readiness(server)).status).toBe(200);
    expect((await ask('/readyz')).status).toBe(404);
  });
});

import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, setEntered } from '../../../testing/database/database.ts';
import { startCounter, startEdge, untilFollowing } from '../../../testing/fleet/fleet.ts';
import { freePort } from '../../../testing/server/free-port.ts';
import { startNats } from '../../../testing/fleet/nats-server.ts';
import { prepareNginxOfEdges } from '../../../testing/server/nginx.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { LIVE_PATH } from '../../../testing/browser/page-client.ts';
import { EMAIL, KEY, type ServerProcess } from '../../../testing/server/server.ts';
import { until } from '../../../testing/until.ts';

/** Two edges behind deploy/nginx-edges.conf. */

const database = openForAll(() => createTestDatabase({ outside: { a: '4', b: '4', c: '4' } }));
const nats = openForAll(() => startNats());
const edges: ServerProcess[] = [];
let session: ClientHttp2Session;

beforeAll(async () => {
  await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c1' } });
  const ports = [await freePort(), await freePort()] as const;
  for (const port of ports) edges.push(await openEdge(port));
  const nginx = await prepareNginxOfEdges(ports);
  await nginx.start();
  session = connect(nginx.url, { ca: nginx.certificate.pem });
  return () => session.destroy();
});

async function openEdge(port: number): Promise<ServerProcess> {
  const edge = await startEdge(nats, { port, env: { NODE_NAME: `e${port}`, TRUST_PROXY: '127.0.0.1' } });
  await untilFollowing(edge, 'c1');
  return edge;
}

async function ask(
  path: string,
  headers: Record<string, string> = {},
  sent = '',
): Promise<IncomingHttpHeaders> {
  const call = session.request({ ':path': path, ...headers }, { endStream: !sent });
  if (sent) call.end(sent);
  const [received] = (await once(call, 'response')) as [IncomingHttpHeaders];
  call.close();
  return received;
}

async function signIn(): Promise<string> {
  const headers = { ':method': 'POST', 'content-type': 'application/json' };
  const { 'set-cookie': set } = await ask(
    '/api/sign-in',
    headers,
    JSON.stringify({ email: EMAIL, key: KEY }),
  );
  return set?.[0]?.split(';')[0] ?? '';
}

interface Stream {
  readonly call: ClientHttp2Stream;
  text: string;
}

async function openStream(cookie: string): Promise<Stream> {
  const call = session.request({ ':path': LIVE_PATH, cookie });
  const stream: Stream = { call, text: '' };
  call.on('data', (bytes: Buffer) => (stream.text += bytes.toString())).on('error', () => {});
  onTestFinished(() => call.close());
  await until(() => expect(stream.text).toContain('event: counts'));
  return stream;
}

function hears(stream: Stream, total: number): Promise<void> {
  return until(() => expect(stream.text).toContain(`"total":${total}`));
}

test('a stream without messages stays open, as its edge sends comments', async () => {
  const stream = await openStream(await signIn());
  const heard = stream.text.length;
  await until(() => expect(stream.text.slice(heard)).toMatch(/^(:\n|event: heartbeat\n.*\n\n){6,}/));
  expect(stream.call.closed).toBe(false);
});

test('one of two edges is killed: the other answers everybody, with their session, until it is killed and the first is back', async () => {
  const cookie = await signIn();
  const streams = [await openStream(cookie), await openStream(cookie)];
  await setEntered(database.gates, 'a', true);
  await Promise.all(streams.map((stream) => hears(stream, 1)));

  const [dying, staying] = edges;
  await dying?.end('SIGKILL');
  await until(() => expect(streams.filter(({ call }) => call.closed)).toHaveLength(1));
  for (let index = 0; index < 10; index += 1) {
    expect((await ask('/'))[':status']).toBe(200);
    expect((await ask('/config.json'))[':status']).toBe(200);
    expect(await signIn()).toBeTruthy();
  }
  await hears(await openStream(cookie), 1);
  await setEntered(database.gates, 'b', true);
  await Promise.all(streams.filter(({ call }) => !call.closed).map((stream) => hears(stream, 2)));

  edges[0] = await openEdge(Number(new URL(dying?.url ?? '').port));
  await staying?.end('SIGKILL');
  // It was away: it is tried again within 2 s.
  await until(async () => expect((await ask('/'))[':status']).toBe(200));
  const stream = await openStream(cookie);
  await setEntered(database.gates, 'c', true);
  await hears(stream, 3);
});

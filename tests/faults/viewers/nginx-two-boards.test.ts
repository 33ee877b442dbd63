import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, setEntered } from '../../../testing/database.ts';
import { freePort } from '../../../testing/free-port.ts';
import { prepareNginx } from '../../../testing/nginx.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { LIVE_PATH } from '../../../testing/page-client.ts';
import { EMAIL, KEY, type ServerProcess } from '../../../testing/server.ts';
import { startServerProcess, untilReady } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

/** Two boards behind deploy/nginx.conf, as two edges stand there. */

const database = openForAll(() => createTestDatabase({ outside: { a: '4', b: '4', c: '4' } }));
const boards: ServerProcess[] = [];
let session: ClientHttp2Session;

beforeAll(async () => {
  const ports = [await freePort(), await freePort()];
  for (const port of ports) boards.push(await startBoard(port));
  const nginx = await prepareNginx(...ports);
  await nginx.start();
  session = connect(nginx.url, { ca: nginx.certificate.pem });
  return () => session.destroy();
});

async function startBoard(port: number): Promise<ServerProcess> {
  const board = await startServerProcess(database.observerUrl, { port, env: { TRUST_PROXY: '127.0.0.1' } });
  await untilReady(board);
  return board;
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

test('one of two boards is killed: the other answers everybody, with their session, until it is killed and the first is back', async () => {
  const cookie = await signIn();
  const streams = [await openStream(cookie), await openStream(cookie)];
  await setEntered(database.gates, 'a', true);
  await Promise.all(streams.map((stream) => hears(stream, 1)));

  const [dying, staying] = boards;
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

  boards[0] = await startBoard(Number(new URL(dying?.url ?? '').port));
  await staying?.end('SIGKILL');
  // It was away: it is tried again within 2 s.
  await until(async () => expect((await ask('/'))[':status']).toBe(200));
  const stream = await openStream(cookie);
  await setEntered(database.gates, 'c', true);
  await hears(stream, 3);
});

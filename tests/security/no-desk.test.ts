import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY, deskSettings } from '../../testing/desk/desk-app.ts';
import { cookieOf, DESK_READS, DESK_WRITES, deskClient, openDesk } from '../../testing/desk/desk-client.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, openPageClient, postSignIn, signIn } from '../../testing/browser/page-client.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { EMAIL } from '../../testing/server/server.ts';
import { startServerProcess, startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(createTestDatabase);
/** With a desk; the others here have none. */
const server = openForAll(() => startTestServer(database, deskSettings(database)));

const GUESSED = JSON.stringify({ email: EMAIL, key: 'wrong' });

/** All of it but the time. */
async function answerOf(url: string, path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(`${url}${path}`, init);
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return { status: response.status, headers, body: await response.text() };
}

test('without its key nothing of the desk is there: each path is as any other that is not', async () => {
  const wall = await startTestServer(database);
  const cookies = [
    await signIn(wall.url),
    (await openDesk(server.url, { name: 'Ana', key: DESK_KEY })).cookie,
  ];
  const unknown = await answerOf(wall.url, '/nothing');
  for (const cookie of cookies) {
    for (const path of [
      '/fluxo',
      '/fluxo/',
      '/fluxo/registro',
      '/fluxo/ajuda',
      '/fluxo/api',
      ...DESK_READS,
    ]) {
      expect([path, await answerOf(wall.url, path, { headers: { cookie } })]).toEqual([path, unknown]);
    }
    for (const path of [
      '/fluxo/api/sign-in',
      '/fluxo/api/sign-out',
      ...DESK_WRITES.map(([written]) => written),
    ]) {
      expect([path, (await deskClient(wall.url, cookie).post(path)).status]).toEqual([path, 404]);
    }
  }
});

test('without its key no code of flow or desk is read, and the record is not asked for', async () => {
  const countSessions = async (): Promise<number> => {
    const [held] = await database.admin<[{ sessions: number }]>`
      select count(*)::int as sessions from pg_stat_activity
      where datname = ${database.name} and usename = ${new URL(database.recordUrl).username}`;
    return held.sessions;
  };
  /** Runs a server, and tells which files of flow and desk it has read. */
  const filesRead = async (env: Record<string, string>, recordSessions: number): Promise<string[]> => {
    // Node writes down there what it has read.
    const folder = makeTestFolder();
    const own = await startServerProcess(database.observerUrl, {
      env: { RECORD_DATABASE_URL: database.recordUrl, NODE_V8_COVERAGE: folder, ...env },
    });
    await untilReady(own);
    await until(async () => expect(await countSessions()).toBe(recordSessions));
    await own.stop();
    const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const urls = reports.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
    const project = pathToFileURL(`${PROJECT_ROOT}/build/`).href;
    const read = urls
      .filter(({ url }) => url.startsWith(project))
      .map(({ url }) => url.slice(project.length));
    expect(read.length).toBeGreaterThan(20);
    // Settings are checked whether they are used or not.
    return read.filter((file) => /^(?:server\/)?desk\/(?!webhook\/webhook-(?:settings|target)\.)/.test(file));
  };
  // That of the server with a desk.
  await until(async () => expect(await countSessions()).toBe(1));
  expect(await filesRead({}, 1)).toEqual([]);
  // With it, a full run finds some.
  for (const env of IS_FULL ? [{ DESK_KEY }] : [])
    expect((await filesRead(env, 2)).length).toBeGreaterThan(20);
});

test('without a desk and with one the wall is answered the same, byte for byte', async () => {
  const wall = await startTestServer(database);
  await Promise.all([untilReady(wall), untilReady(server)]);
  const cookie = await signIn(wall.url);
  const calls: [path: string, init?: RequestInit][] = [
    ['/'],
    ['/config.json'],
    ['/healthz'],
    ['/nothing'],
    [LIVE_PATH],
    [LIVE_PATH.replace('live', 'tickets/count?isValidTicket=true'), { headers: { cookie } }],
    [LIVE_PATH.replace('live', 'tickets/count'), { headers: { cookie } }],
    ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: GUESSED }],
  ];
  for (const [path, init] of calls) {
    const without = await answerOf(wall.url, path, init);
    expect([path, await answerOf(server.url, path, init)]).toEqual([path, without]);
  }
  const withDesk = await postSignIn(server.url);
  const without = await postSignIn(wall.url);
  const attributes = (response: Response): string =>
    (response.headers.get('set-cookie') ?? '').replace(cookieOf(response), '');
  expect(attributes(withDesk)).toBe(attributes(without));
});

test('without its key a screen receives what it always did, and with one also that its counts are complete', async () => {
  const wall = await startTestServer(database);
  await Promise.all([untilReady(wall), untilReady(server)]);
  const kindsOf = async (
    { url }: { readonly url: string },
    isWhole: (kinds: readonly string[]) => boolean,
  ) => {
    const client = await openPageClient(url);
    const kinds = () => client.messages.map(({ event }) => event).filter((event) => event !== 'heartbeat');
    await client.reaches('what begins a stream', ({ complete }) => complete && isWhole(kinds()), 15_000);
    return kinds().toSorted();
  };
  const always = ['build', 'counts', 'sectors', 'source'];
  expect(await kindsOf(wall, () => true)).toEqual(always);
  expect(await kindsOf(server, (kinds) => kinds.includes('incomplete'))).toEqual(
    [...always, 'incomplete'].toSorted(),
  );
});

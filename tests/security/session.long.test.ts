import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { sendLargeDocuments } from '../../testing/sources/large-documents.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, openPageClient, postSignIn, signIn } from '../../testing/browser/page-client.ts';
import { openRawClient } from '../../testing/server/raw-client.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { unhinderedNow, until } from '../../testing/until.ts';
import { testInFull } from '../../testing/test-in-full.ts';

// Forged, cut and foreign sessions, and those of another key, secret or event: tests/http.test.ts.

const LIFETIME_MS = 2_500;

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database, {}, { sessionLifetimeMs: LIFETIME_MS }));

// A session is short here: what it reads must be there when it begins.
beforeAll(() => untilReady(server));

test('a stream ends, in good order, when its session does, and the session opens no other', async () => {
  const cookie = await signIn(server.url);
  const client = await openRawClient(server.url);
  client.get(LIVE_PATH, { cookie });
  await until(() => expect(client.text()).toContain('event: counts'));
  await until(() => expect(client.text()).toMatch(/\r\n0\r\n\r\n$/));
  // The connection is good for another request, and the session for none.
  client.get(LIVE_PATH, { cookie });
  await until(() => expect(client.statuses()).toEqual([200, 401]));
});

test('a stream that began late in its session does not outlive it', async () => {
  const cookie = await signIn(server.url);
  const startMs = unhinderedNow();
  await pause(LIFETIME_MS / 2);
  const response = await fetch(`${server.url}${LIVE_PATH}`, { headers: { cookie } });
  if (response.status === 200) await response.text();
  const untilEndMs = unhinderedNow() - startMs;
  // A second for the housekeeping, and plenty for a busy machine.
  expect(untilEndMs).toBeLessThan(LIFETIME_MS + 8_000);
});

test('a new sign-in is all that it takes to go on', async () => {
  const first = await openPageClient(server.url);
  await until(() => expect(first.ended).toBe(true));
  const second = await openPageClient(server.url);
  await until(() => expect(second.live).toBe(true));
});

testInFull('a viewer who reads no more does not stay beyond its session', async () => {
  const crowded = await createTestDatabase();
  // So long that nothing fits in any more before it ends.
  const sessionLifetimeMs = 4 * LIFETIME_MS;
  const small = await startTestServer(crowded, { MAX_VIEWERS: '1' }, { sessionLifetimeMs });
  await untilReady(small);
  const cookie = await signIn(small.url);
  const client = await openRawClient(small.url);
  client.socket.pause();
  client.get(LIVE_PATH, { cookie });
  await until(() => expect(openPageClient(small.url)).rejects.toThrow('503'));
  await sendLargeDocuments(crowded.admin);
  await expect(openPageClient(small.url)).rejects.toThrow('503');
  await until(async () => (await openPageClient(small.url)).leave(), 30_000);
});

test('the cookie lasts as long as the session, and no script or other site gets it', async () => {
  const response = await postSignIn(server.url);
  expect(response.headers.get('set-cookie')).toMatch(/; Max-Age=3; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

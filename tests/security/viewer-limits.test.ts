import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import {
  fetchOpen,
  LIVE_PATH,
  openPageClient,
  type PageClient,
  signIn,
} from '../../testing/browser/page-client.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
let server: TestServer;
let viewers: PageClient[] = [];

beforeEach(() => {
  viewers = [];
});

async function fill(count: number): Promise<void> {
  for (let viewer = 0; viewer < count; viewer += 1) viewers.push(await openPageClient(server.url));
}

async function askForStream(headers: Record<string, string> = {}): Promise<Response> {
  return fetchOpen(`${server.url}${LIVE_PATH}`, { cookie: await signIn(server.url), ...headers });
}

async function expectLive(entrou: boolean): Promise<void> {
  await setEntered(database.gates, 'a', entrou);
  await until(() => {
    for (const { live, counts } of viewers) expect([live, counts?.total]).toEqual([true, entrou ? 1 : 0]);
  });
}

test('the default limits are 20,000 viewers, and 1,000 at one address', () => {
  expect(readConfig({})).toMatchObject({ maxViewers: 20_000, maxViewersPerAddress: 1_000 });
});

describe('beyond MAX_VIEWERS', () => {
  test('a viewer is refused for now, the others are not disturbed, and a seat that is left is free', async () => {
    server = await startTestServer(database, { MAX_VIEWERS: '5' });
    await fill(5);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const response = await askForStream();
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
    await expectLive(true);
    viewers.shift()?.leave();
    await until(() => fill(1));
    await expectLive(false);
    expect((await askForStream()).status).toBe(503);
    const lines = server.logged.filter(({ setting }) => setting === 'MAX_VIEWERS');
    expect(lines).toHaveLength(1);
  });

  test('a refused viewer does not count', async () => {
    server = await startTestServer(database, { MAX_VIEWERS: '1' });
    await fill(1);
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await askForStream()).status).toBe(503);
    viewers.shift()?.leave();
    await until(() => fill(1));
  });
});

describe('beyond MAX_VIEWERS_PER_ADDRESS', () => {
  test('a viewer there is refused, whatever it says of its address', async () => {
    server = await startTestServer(database, { MAX_VIEWERS_PER_ADDRESS: '3' });
    await fill(3);
    for (const address of ['', '203.0.113.9', '::1, 10.0.0.1']) {
      const response = await askForStream(address ? { 'x-forwarded-for': address } : {});
      expect(response.status).toBe(429);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await expectLive(true);
    await expectLive(false);
  });

  test('behind a trusted proxy, each viewer has its own address, and IPv6 counts by /64', async () => {
    server = await startTestServer(database, { MAX_VIEWERS_PER_ADDRESS: '1', TRUST_PROXY: '127.0.0.1' });
    const open = async (address: string): Promise<number> =>
      (await askForStream({ 'x-forwarded-for': address })).status;
    expect(await open('203.0.113.1')).toBe(200);
    expect(await open('203.0.113.2')).toBe(200);
    expect(await open('203.0.113.1')).toBe(429);
    expect(await open('198.51.100.7, 203.0.113.2')).toBe(429);
    expect(await open('2001:db8::1')).toBe(200);
    expect(await open('2001:db8::2:3:4:5')).toBe(429);
    expect(await open('2001:db8:0:1::1')).toBe(200);
  });
});

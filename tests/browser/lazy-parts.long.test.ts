import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { launchBrowser } from '../../testing/browser.ts';
import { SHORT_CHUNK_TIMEOUT_MS } from '../../testing/built-screens.ts';
import { createTestDatabase, setEntered } from '../../testing/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { newPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const SCRIPTS = join(PROJECT_ROOT, 'build/web/static/js');

const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
const server = openForAll(() => startTestServer(database, {}, { webRoot: inject('impatientScreen') }));
const browser = openForAll(launchBrowser);

test('a part stalled by the server fails at the limit, the rest goes on, it is asked for again, and appears', async () => {
  const watched = await newPage(browser);
  const asked: { url: string; atMs: number }[] = [];
  let isStalling = true;
  await watched.page.route('**/static/js/async/**', async (route) => {
    asked.push({ url: route.request().url(), atMs: performance.now() });
    // Neither answered nor refused, as by a server that hangs.
    if (!isStalling) await route.continue();
  });
  // A script that hangs holds back the page's `load`.
  await watched.goLive(server.url, { waitUntil: 'commit' });
  expect(await watched.page.locator('table').count()).toBe(0);
  await setEntered(database.gates, 'a', true);
  await watched.expectTotal('1');

  const parts = new Set(asked.map(({ url }) => new URL(url).pathname)).size;
  await until(() => expect(asked.length).toBeGreaterThan(parts));
  isStalling = false;
  await watched.page.locator('table').waitFor();
  expect(await watched.page.locator('tbody tr').count()).toBe(13);

  const pathOf = (url = '/'): string => new URL(url, server.url).pathname;
  const [first, second] = asked.filter(({ url }) => pathOf(url) === pathOf(asked[0]?.url));
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(SHORT_CHUNK_TIMEOUT_MS - 50);
  // The address is fresh: the old one would only rejoin the call that hangs.
  expect(second?.url).not.toBe(first?.url);
});

test('the built default is 120,000 ms', () => {
  const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.js'));
  const waiting = names.filter((name) =>
    /setTimeout\([^;]{0,80}(120000|12e4)\)/.test(readFileSync(join(SCRIPTS, name), 'utf8')),
  );
  // Of each page that has parts of its own.
  expect(new Set(waiting.map((name) => name.split('.')[0]))).toEqual(new Set(['index-main', 'fluxo-main']));
});

test('parts lie under /static/js/, with hashes in their names, to be kept for ever', async () => {
  const real = await startTestServer(database);
  const watched = await newPage(browser);
  const loaded: { path: string; cached: string | undefined }[] = [];
  watched.page.on('response', (response) => {
    const { pathname: path } = new URL(response.url());
    if (path.endsWith('.js')) loaded.push({ path, cached: response.headers()['cache-control'] });
  });
  await watched.goLive(real.url);
  expect(loaded.filter(({ path }) => path.startsWith('/static/js/async/')).length).toBeGreaterThanOrEqual(1);
  for (const { path, cached } of loaded) {
    expect(path).toMatch(/^\/static\/js\/[\w./-]+\.[0-9a-f]{10}\.js$/);
    expect(cached).toBe('public, max-age=31536000, immutable');
  }
});

test('parts start to load with the page, not after sign-in', async () => {
  const watched = await newPage(browser);
  await watched.page.route('**/config.json', () => {});
  await watched.page.goto(server.url, { waitUntil: 'commit' });
  await until(() => expect(watched.requests.some((line) => line.includes('/static/js/async/'))).toBe(true));
  expect(await watched.page.locator('table').count()).toBe(0);
});

test('what leaves the build is no source map', () => {
  const files = readdirSync(join(SCRIPTS, '..'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
});

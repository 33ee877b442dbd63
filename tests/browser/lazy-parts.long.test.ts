import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const SCRIPTS = join(PROJECT_ROOT, 'build/web/static/js');
const TIMEOUT_MS = 120_000;

const database = openForAll(() => createTestDatabase({ outside: { a: '4' } }));
const server = openForAll(() => startTestServer(database));
const browser = openForAll(openBrowser);

test('a part that the server stalls fails after 120 s and not before, the rest goes on, it is asked for again, and appears', async () => {
  const watched = await newPage(browser);
  const { page } = watched;
  const asked: string[] = [];
  let isStalling = true;
  await page.route('**/static/js/async/**', async (route) => {
    asked.push(route.request().url());
    // The request stays unanswered, as from a server that hangs.
    if (!isStalling) await route.continue();
  });
  await page.clock.install();
  // A script that hangs holds back the page's `load`.
  await watched.goLive(server.url, { waitUntil: 'commit' });
  expect(await page.locator('table').count()).toBe(0);
  await setEntered(database.gates, 'a', true);
  await watched.expectTotal('1');

  const pathOf = (url = ''): string => new URL(url, server.url).pathname;
  const parts = new Set(asked.map(pathOf)).size;
  // The page's clock has advanced by this much; the rest of the limit passes in two steps.
  const waitedMs = await page.evaluate(() => performance.now());
  await page.clock.runFor(TIMEOUT_MS - waitedMs - 1_000);
  expect(asked).toHaveLength(parts);
  await until(async () => {
    await page.clock.runFor(1_000);
    expect(asked.length).toBeGreaterThan(parts);
  });
  isStalling = false;
  await until(async () => {
    await page.clock.runFor(TIMEOUT_MS);
    expect(await page.locator('tbody tr').count()).toBe(13);
  });
  // The retry has a new address, as the old one would join the hanging request.
  expect(new Set(asked).size).toBe(asked.length);
});

test('the built default is 120,000 ms', () => {
  const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.js'));
  const waiting = names.filter((name) =>
    /setTimeout\([^;]{0,80}(120000|12e4)\)/.test(readFileSync(join(SCRIPTS, name), 'utf8')),
  );
  // Each page has its own parts.
  expect(new Set(waiting.map((name) => name.split('.')[0]))).toEqual(new Set(['index-main', 'fluxo-main']));
});

test('parts lie under /static/js/, with hashes in their names, to be kept for ever, and start to load with the page, not after sign-in', async () => {
  const watched = await newPage(browser);
  const loaded: { path: string; cached: string | undefined }[] = [];
  watched.page.on('response', (response) => {
    const { pathname: path } = new URL(response.url());
    if (path.endsWith('.js')) loaded.push({ path, cached: response.headers()['cache-control'] });
  });
  const release = await watched.hold('**/config.json');
  await watched.page.goto(server.url, { waitUntil: 'commit' });
  await until(() => expect(watched.requests.some((line) => line.includes('/static/js/async/'))).toBe(true));
  expect(await watched.page.locator('table').count()).toBe(0);
  await release();
  await watched.expectStatus('ao vivo');
  expect(loaded.filter(({ path }) => path.startsWith('/static/js/async/')).length).toBeGreaterThanOrEqual(1);
  for (const { path, cached } of loaded) {
    expect(path).toMatch(/^\/static\/js\/[\w./-]+\.[0-9a-f]{10}\.js$/);
    expect(cached).toBe('public, max-age=31536000, immutable');
  }
});

test('what leaves the build is no source map', () => {
  const files = readdirSync(join(SCRIPTS, '..'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
});

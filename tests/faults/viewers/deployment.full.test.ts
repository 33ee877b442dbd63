import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser } from '../../../testing/browser/browser.ts';
import { createTestDatabase, setEntered } from '../../../testing/database/database.ts';
import { duration } from '../../../testing/durations.ts';
import { startHttpProxy } from '../../../testing/server/http-proxy.ts';
import { makeNextBuild } from '../../../testing/browser/next-build.ts';
import { openForAll, openForEach } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/browser/test-page.ts';
import { startTestServer, type TestServer } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

/** A page waits up to 30 s before it reloads itself; this one is drawn. */
const CHANCE = duration(0.5, 0.03);

const browser = openForAll(openBrowser);
const database = openForEach(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '7' } }));
const before = openForEach(() => startTestServer(database));
const proxy = openForEach(() => startHttpProxy(() => before.url));
const nextBuild = openForAll(makeNextBuild);
let watched: TestPage;

/** Returns how often it was loaded whole, or at least begun, since then; and where it was ever without a board. */
async function openPage() {
  watched = await newPage(browser);
  const { page } = watched;
  let documents = 0;
  page.on('domcontentloaded', () => (documents += 1));
  await page.addInitScript((chance) => {
    Math.random = () => chance;
    const note = (what: string): void =>
      sessionStorage.setItem('blanks', `${sessionStorage.getItem('blanks') ?? ''}${what}\n`);
    addEventListener('DOMContentLoaded', () => {
      const look = (): void => {
        for (const part of ['h1.title', '.total', '.status']) {
          if (!document.querySelector(part)?.textContent) note(`no ${part}`);
        }
      };
      look();
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    });
  }, CHANCE);
  await page.goto(proxy.url, { waitUntil: 'commit' });
  return {
    documents: () => documents,
    blanks: () => page.evaluate(() => sessionStorage.getItem('blanks')),
  };
}

function deploy(): Promise<TestServer> {
  return startTestServer(database, {}, nextBuild);
}

async function expectLive(total: string): Promise<void> {
  await watched.expectStatus('ao vivo');
  await watched.expectTotal(total);
}

function buildOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['build']);
}

test('a new version behind a proxy that answers 502 for a while: stale, then live, then one reload, never a blank', async () => {
  const { documents, blanks } = await openPage();
  const { page } = watched;
  await expectLive('1');
  const build = await buildOf(page);

  proxy.route = () => 502;
  proxy.cutOpen();
  await before.stop();
  await setEntered(database.gates, 'b', true);
  await watched.expectStatus(/^sem conexão/);
  await page.waitForTimeout(duration(60_000, 1_500));
  expect(documents()).toBe(1);
  expect(await watched.total()).toBe('1');

  // The stream is there before the files are: as long as one part of the page is missing, it stays.
  const { url } = await deploy();
  proxy.route = (path) => (path.startsWith('/static/js/async/') ? 502 : url);
  await expectLive('2');
  await page.waitForTimeout(duration(40_000, 2_000));
  expect(documents()).toBe(1);

  proxy.route = () => url;
  await until(() => expect(documents()).toBe(2), 40_000);
  await expectLive('2');
  await page.locator('tbody tr').nth(12).waitFor();
  expect(await buildOf(page)).not.toBe(build);
  await page.waitForTimeout(duration(2_000, 1_000));
  expect([documents(), await blanks()]).toEqual([2, null]);
}, 240_000);

test('a page that came just before the deployment, its scripts gone: it loads itself anew, and is live', async () => {
  const old = before.url;
  const { url } = await deploy();
  const page = openPage();
  // The old server answers for the page alone; then it is gone.
  proxy.route = (path) => {
    if (path !== '/') return url;
    proxy.route = () => url;
    return old;
  };
  const { documents, blanks } = await page;
  await expectLive('1');
  await watched.page.locator('tbody tr').nth(12).waitFor();
  expect(documents()).toBe(2);
  expect(await blanks()).toBe(null);
});

test('a page whose scripts answer 502 for a while shows "conectando" meanwhile, and is live by itself after', async () => {
  const { url } = before;
  proxy.route = (path) => (path.startsWith('/static/js/') ? 502 : url);
  const { documents } = await openPage();
  await watched.page.waitForTimeout(duration(2_500, 1_500));
  expect(await watched.status()).toBe('conectando');
  proxy.route = () => url;
  await expectLive('1');
  expect(documents()).toBe(1);
});

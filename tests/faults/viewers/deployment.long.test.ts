import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, newPage, statusOf, type TestPage, totalOf } from '../../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { duration } from '../../../testing/durations.ts';
import { type HttpProxy, startHttpProxy } from '../../../testing/http-proxy.ts';
import { makeNextBuild } from '../../../testing/next-build.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { insertTickets, setEntered } from '../../../testing/tickets.ts';
import { until } from '../../../testing/until.ts';

/** A page waits up to 30 s before it reloads itself; this one is drawn. */
const CHANCE = duration(0.5, 0.03);

let database: TestDatabase;
let before: TestServer;
let after: TestServer | undefined;
let proxy: HttpProxy;
let browser: Browser;
let watched: TestPage;
let nextBuild: ReturnType<typeof makeNextBuild>;

beforeAll(async () => {
  browser = await launchBrowser();
  nextBuild = makeNextBuild();
});

beforeEach(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4', entrou: true },
    { id: 'b', setor: '7' },
  ]);
  before = await startTestServer(database);
  proxy = await startHttpProxy(() => before.url);
});

afterAll(async () => {
  nextBuild?.remove();
});

/** How often a page was loaded whole, or at least begun, since it was opened; and whether it was ever without a board. */
interface Witness {
  readonly documents: () => number;
  readonly blanks: () => Promise<string[]>;
}

async function openPage(): Promise<Witness> {
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
        if (!document.querySelector('h1.title')?.textContent) note('no title');
        if (!document.querySelector('.total')?.textContent) note('no total');
        if (!document.querySelector('.status')?.textContent) note('no status');
      };
      look();
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    });
  }, CHANCE);
  await page.goto(proxy.url, { waitUntil: 'commit' });
  return {
    documents: () => documents,
    blanks: async () =>
      (await page.evaluate(() => sessionStorage.getItem('blanks') ?? '')).split('\n').filter(Boolean),
  };
}

async function deploy(): Promise<TestServer> {
  after = await startTestServer(database, {}, { webRoot: nextBuild.webRoot });
  return after;
}

async function expectLive(page: Page, total: string): Promise<void> {
  await until(async () => expect(await statusOf(page)).toBe('ao vivo'));
  await until(async () => expect(await totalOf(page)).toBe(total));
}

function buildOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['build']);
}

test('a new version behind a proxy that answers 502 for a while: stale, then live, then one reload, never a blank', async () => {
  const { documents, blanks } = await openPage();
  const { page } = watched;
  await expectLive(page, '1');
  const build = await buildOf(page);

  proxy.route = () => 502;
  proxy.cutOpen();
  await before.stop();
  await setEntered(database.gates, 'b', true);
  await until(async () => expect(await statusOf(page)).toMatch(/^sem conexão/));
  await page.waitForTimeout(duration(60_000, 3_000));
  expect(documents()).toBe(1);
  expect(await totalOf(page)).toBe('1');

  // The stream is there before the files are: as long as one part of the page is missing, it stays.
  const { url } = await deploy();
  proxy.route = (path) => (path.startsWith('/static/js/async/') ? 502 : url);
  await expectLive(page, '2');
  await page.waitForTimeout(duration(40_000, 4_000));
  expect(documents()).toBe(1);

  proxy.route = () => url;
  await until(() => expect(documents()).toBe(2), 40_000);
  await expectLive(page, '2');
  await page.locator('tbody tr').nth(12).waitFor();
  expect(await buildOf(page)).not.toBe(build);
  await page.waitForTimeout(2_000);
  expect(documents()).toBe(2);
  expect(await blanks()).toEqual([]);
}, 240_000);

test('a new version while a page is live: old scripts are gone, it reloads itself once', async () => {
  const { documents, blanks } = await openPage();
  const { page } = watched;
  await expectLive(page, '1');
  await page.locator('tbody tr').nth(12).waitFor();
  const { url } = await deploy();
  proxy.route = () => url;
  await before.stop();
  await until(() => expect(documents()).toBe(2), 40_000);
  await expectLive(page, '1');
  await page.waitForTimeout(2_000);
  expect(documents()).toBe(2);
  expect(await blanks()).toEqual([]);
}, 120_000);

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
  await expectLive(watched.page, '1');
  await watched.page.locator('tbody tr').nth(12).waitFor();
  expect(documents()).toBe(2);
  expect(await blanks()).toEqual([]);
});

test('a page whose scripts answer 502 for a while shows "conectando" meanwhile, and is live by itself after', async () => {
  const { url } = before;
  proxy.route = (path) => (path.startsWith('/static/js/') ? 502 : url);
  const { documents } = await openPage();
  await watched.page.waitForTimeout(2_500);
  expect(await statusOf(watched.page)).toBe('conectando');
  proxy.route = () => url;
  await expectLive(watched.page, '1');
  expect(documents()).toBe(1);
});

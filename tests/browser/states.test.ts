import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import {
  goLive,
  hold,
  launchBrowser,
  newPage,
  openLivePage,
  rowsOf,
  statusOf,
  type TestPage,
  totalOf,
} from '../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { EMAIL, KEY } from '../../testing/server.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { insertTickets } from '../../testing/tickets.ts';
import { until } from '../../testing/until.ts';

let database: TestDatabase;
let server: TestServer;
let browser: Browser;
let watched: TestPage;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [{ id: 'a', setor: '4', entrou: true }]);
  server = await startTestServer(database);
  browser = await launchBrowser();
});

/** The visible words, without white space at the ends of lines. */
async function words(): Promise<string[]> {
  const text = await watched.page.locator('body').innerText();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

const FIRST_WORDS = [
  'Triagem · Palestra × Atlético',
  DEFAULT_EVENT_ID,
  'conectando',
  'acessos',
  'carregando...',
];

test('with every call held back, title, event ID, "acessos" and "carregando..." are there, and no table', async () => {
  watched = await newPage(browser);
  await hold(watched.page, '**/config.json');
  await watched.page.goto(server.url);
  await watched.page.waitForTimeout(500);
  expect(await words()).toEqual(FIRST_WORDS);
  expect(await watched.page.locator('table').count()).toBe(0);
  expect(await watched.page.title()).toBe(FIRST_WORDS[0]);
  expect(await watched.page.locator('h2').innerText()).toBe('acessos');
});

test('without its scripts, the page says the same', async () => {
  watched = await newPage(browser, { javaScriptEnabled: false });
  await watched.page.goto(server.url);
  expect(await words()).toEqual(FIRST_WORDS);
});

test('signed in while the stream is held: the table stands beside "carregando..."; then comes the total', async () => {
  watched = await newPage(browser);
  const release = await hold(watched.page, '**/live');
  await watched.page.goto(server.url);
  await watched.page.locator('table').waitFor();
  expect(await totalOf(watched.page)).toBe('carregando...');
  expect(await statusOf(watched.page)).toBe('conectando');
  expect((await rowsOf(watched.page)).map(([, count]) => count)).toEqual(
    Array.from({ length: 13 }, () => '–'),
  );
  await release();
  await until(async () => expect(await totalOf(watched.page)).toBe('1'));
  expect(await statusOf(watched.page)).toBe('ao vivo');
  expect((await words()).join()).not.toContain('carregando');
});

test('sign-in and first total are independent: the stream alone does not show the table', async () => {
  watched = await newPage(browser);
  await hold(watched.page, '**/sign-in');
  await watched.page.goto(server.url);
  await watched.page.waitForTimeout(500);
  expect(await watched.page.locator('table').count()).toBe(0);
  expect(await totalOf(watched.page)).toBe('carregando...');
});

test('invariant 9: a refused sign-in changes no DOM, is logged once, and heals unaided', async () => {
  watched = await newPage(browser);
  let isRefusing = true;
  let attempts = 0;
  await watched.page.route('**/sign-in', async (route) => {
    attempts += 1;
    if (isRefusing) await route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{}' });
    else await route.continue();
  });
  await watched.page.goto(server.url);
  await until(() => expect(watched.console).toContain('deu ruim no login'));
  await watched.page.evaluate(() => {
    const changes: string[] = [];
    Object.assign(globalThis, { changes });
    new MutationObserver((records) => changes.push(...records.map((record) => record.type))).observe(
      document,
      {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      },
    );
  });
  const before = await watched.page.locator('body').innerHTML();
  await until(() => expect(attempts).toBeGreaterThanOrEqual(3));
  expect(await watched.page.locator('body').innerHTML()).toBe(before);
  expect(await watched.page.evaluate(() => (globalThis as unknown as { changes: string[] }).changes)).toEqual(
    [],
  );
  expect(await words()).toEqual(FIRST_WORDS);

  const said = watched.console.filter((line) => line.includes('login'));
  expect(said).toEqual(['deu ruim no login']);
  expect(watched.console.join()).not.toContain(KEY);
  expect(watched.console.join()).not.toContain(EMAIL);

  isRefusing = false;
  await watched.page.locator('table').waitFor();
  await until(async () => expect(await totalOf(watched.page)).toBe('1'));
});

test('a /config.json that does not come is a failed sign-in', async () => {
  watched = await newPage(browser);
  await watched.page.route('**/config.json', (route) => route.fulfill({ status: 503, body: '' }));
  await watched.page.goto(server.url);
  await until(() => expect(watched.console).toContain('deu ruim no login'));
  expect(await words()).toEqual(FIRST_WORDS);
});

test('every load signs in, with the account of /config.json, whatever cookie there is', async () => {
  watched = await newPage(browser);
  const bodies: (string | null)[] = [];
  watched.page.on('request', (request) => {
    if (request.url().endsWith('/api/sign-in')) bodies.push(request.postData());
  });
  for (let load = 0; load < 2; load += 1) {
    await goLive(watched.page, server.url);
  }
  expect(bodies.map((body) => JSON.parse(body ?? '{}'))).toEqual([
    { email: EMAIL, key: KEY },
    { email: EMAIL, key: KEY },
  ]);
});

test('a session that ends later keeps table and numbers, and signs in again without a word', async () => {
  const own = await startTestServer(database);
  watched = await openLivePage(browser, own.url);
  await watched.page.context().clearCookies();
  await own.stop();
  // With another secret, no old session is worth anything.
  await startTestServer(database, {
    PORT: new URL(own.url).port,
    SESSION_SECRET: 'outro-segredo-de-teste-com-32-letras',
  });
  await until(() => expect(signIns()).toBe(2));
  await until(async () => expect(await statusOf(watched.page)).toBe('ao vivo'));
  expect(await watched.page.locator('tbody tr').count()).toBe(13);
  expect(signIns()).toBe(2);
  expect(watched.console.filter((line) => line.includes('login'))).toEqual([]);
});

const signIns = (): number => watched.requests.filter((line) => line.includes('/api/sign-in')).length;

test('there is one page: another path is 404, query and hash change nothing, and nothing can be operated', async () => {
  watched = await newPage(browser);
  expect((await watched.page.goto(`${server.url}/x`))?.status()).toBe(404);
  await goLive(watched.page, `${server.url}/?event=0123456789abcdef0123456789abcdef#y`);
  expect(await watched.page.locator('.event').innerText()).toBe(DEFAULT_EVENT_ID);
  expect(
    await watched.page
      .locator('form, input, select, textarea, button, a, [tabindex], [contenteditable]')
      .count(),
  ).toBe(0);
  expect(await watched.page.locator('html').getAttribute('lang')).toBe('pt-BR');
  expect((await words()).join()).not.toContain('demonstração');
});

import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { openForAll, openForEach } from '../../testing/open-for-tests.ts';
import { EMAIL, KEY } from '../../testing/server.ts';
import { newPage, type TestPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ inside: { a: '4' } }));
const server = openForAll(() => startTestServer(database));
const browser = openForAll(launchBrowser);
const watched = openForEach(() => newPage(browser));

/** The visible words, without white space at the ends of lines. */
async function words({ page }: TestPage = watched): Promise<string[]> {
  const lines = (await page.locator('body').innerText()).split('\n');
  return lines.map((line) => line.trim()).filter(Boolean);
}

const TITLE = 'Triagem · Palestra × Atlético';
const FIRST_WORDS = [TITLE, DEFAULT_EVENT_ID, 'conectando', 'acessos', 'carregando...'];

test('with every call held back, title, event ID, "acessos" and "carregando..." are there, and no table', async () => {
  await watched.hold('**/config.json');
  await watched.page.goto(server.url);
  await watched.page.waitForTimeout(500);
  expect(await words()).toEqual(FIRST_WORDS);
  expect(await watched.page.locator('table').count()).toBe(0);
  expect(await watched.page.title()).toBe(TITLE);
  expect(await watched.page.locator('h2').innerText()).toBe('acessos');
});

test('without its scripts, the page says the same', async () => {
  const plain = await newPage(browser, { javaScriptEnabled: false });
  await plain.page.goto(server.url);
  expect(await words(plain)).toEqual(FIRST_WORDS);
});

test('signed in while the stream is held: the table stands beside "carregando..."; then comes the total', async () => {
  const release = await watched.hold('**/live');
  await watched.page.goto(server.url);
  await watched.page.locator('table').waitFor();
  expect(await watched.total()).toBe('carregando...');
  expect(await watched.status()).toBe('conectando');
  expect((await watched.rows()).map(([, count]) => count)).toEqual(Array.from({ length: 13 }, () => '–'));
  await release();
  await watched.expectTotal('1');
  expect(await watched.status()).toBe('ao vivo');
  expect((await words()).join()).not.toContain('carregando');
});

test('sign-in and first total are independent: the stream alone does not show the table', async () => {
  await watched.hold('**/sign-in');
  await watched.page.goto(server.url);
  await watched.page.waitForTimeout(500);
  expect(await watched.page.locator('table').count()).toBe(0);
  expect(await watched.total()).toBe('carregando...');
});

test('invariant 9: a refused sign-in changes no DOM, is logged once, and heals unaided', async () => {
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
    const note = (records: MutationRecord[]) => changes.push(...records.map(({ type }) => type));
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(note).observe(document, everything);
  });
  const before = await watched.page.locator('body').innerHTML();
  await until(() => expect(attempts).toBeGreaterThanOrEqual(3));
  expect(await watched.page.locator('body').innerHTML()).toBe(before);
  expect(await watched.page.evaluate('changes')).toEqual([]);
  expect(await words()).toEqual(FIRST_WORDS);

  expect(watched.console.filter((line) => line.includes('login'))).toEqual(['deu ruim no login']);
  expect(watched.console.join()).not.toContain(KEY);
  expect(watched.console.join()).not.toContain(EMAIL);

  isRefusing = false;
  await watched.page.locator('table').waitFor();
  await watched.expectTotal('1');
});

test('a /config.json that does not come is a failed sign-in', async () => {
  await watched.page.route('**/config.json', (route) => route.fulfill({ status: 503, body: '' }));
  await watched.page.goto(server.url);
  await until(() => expect(watched.console).toContain('deu ruim no login'));
  expect(await words()).toEqual(FIRST_WORDS);
});

test('every load signs in, with the account of /config.json, whatever cookie there is', async () => {
  const accounts: unknown[] = [];
  watched.page.on('request', (request) => {
    if (request.url().endsWith('/api/sign-in')) accounts.push(request.postDataJSON());
  });
  for (let load = 0; load < 2; load += 1) await watched.goLive(server.url);
  const account = { email: EMAIL, key: KEY };
  expect(accounts).toEqual([account, account]);
});

test('a session that ends later keeps table and numbers, and signs in again without a word', async () => {
  const own = await startTestServer(database);
  await watched.goLive(own.url);
  await watched.page.context().clearCookies();
  await own.stop();
  // With another secret, no old session is worth anything.
  const another = { SESSION_SECRET: 'outro-segredo-de-teste-com-32-letras' };
  await startTestServer(database, { PORT: new URL(own.url).port, ...another });
  await until(() => expect(signIns()).toBe(2));
  await watched.expectStatus('ao vivo');
  expect(await watched.page.locator('tbody tr').count()).toBe(13);
  expect(signIns()).toBe(2);
  expect(watched.console.filter((line) => line.includes('login'))).toEqual([]);
});

const signIns = (): number => watched.requests.filter((line) => line.includes('/api/sign-in')).length;

test('there is one page: another path is 404, query and hash change nothing, and nothing can be operated', async () => {
  expect((await watched.page.goto(`${server.url}/x`))?.status()).toBe(404);
  await watched.goLive(`${server.url}/?event=0123456789abcdef0123456789abcdef#y`);
  expect(await watched.page.locator('.event').innerText()).toBe(DEFAULT_EVENT_ID);
  const operated = 'form, input, select, textarea, button, a, [tabindex], [contenteditable]';
  expect(await watched.page.locator(operated).count()).toBe(0);
  expect(await watched.page.locator('html').getAttribute('lang')).toBe('pt-BR');
  expect((await words()).join()).not.toContain('demonstração');
});

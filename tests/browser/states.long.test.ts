import { setTimeout as pause } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, insertTickets } from '../../testing/database/database.ts';
import { repetitions } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';
import { newPage, type TestPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ inside: { a: '4' } }));
const server = openForAll(() => startTestServer(database));
const browser = openForAll(openBrowser);
const watched = openForAll(async () => {
  const opened = await newPage(browser);
  await opened.page.clock.install();
  return opened;
});

const RENEWALS = repetitions(3, 1);

/** This is longer, by the page's clock, than any drawing takes. */
const A_WHILE_MS = 2_000;

beforeEach(async () => {
  // This closes the connections of the page of the test before.
  await watched.page.goto('about:blank');
  await watched.page.unrouteAll({ behavior: 'ignoreErrors' });
  await watched.page.context().clearCookies();
  await watched.page.clock.resume();
  watched.console.length = watched.requests.length = 0;
});

const signIns = (): number => watched.requests.filter((line) => /^POST .*\/api\/sign-in$/.test(line)).length;

/** The visible words, without white space at the ends of lines. */
async function words({ page }: TestPage = watched): Promise<string[]> {
  const lines = (await page.locator('body').innerText()).split('\n');
  return lines.map((line) => line.trim()).filter(Boolean);
}

const TITLE = 'Triagem · Palestra × Atlético';
const FIRST_WORDS = [TITLE, DEFAULT_EVENT_ID, 'conectando', 'acessos', 'carregando...'];

test('with every call held back, title, event ID, "acessos" and "carregando..." are there, and no table; a /config.json that does not come is a failed sign-in', async () => {
  const held: Route[] = [];
  await watched.page.route('**/config.json', (route) => void held.push(route));
  await watched.page.goto(server.url);
  await watched.page.clock.runFor(A_WHILE_MS);
  expect(await words()).toEqual(FIRST_WORDS);
  expect(await watched.page.locator('table').count()).toBe(0);
  expect(await watched.page.title()).toBe(TITLE);
  expect(await watched.page.locator('h2').innerText()).toBe('acessos');
  for (const route of held) await route.fulfill({ status: 503, body: '' });
  await until(() => expect(watched.console).toContain('deu ruim no login'));
  expect(await words()).toEqual(FIRST_WORDS);
});

test('without its scripts the page has the same words', async () => {
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
  await watched.page.clock.runFor(A_WHILE_MS);
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
  await until(async () => {
    await watched.page.clock.runFor(A_WHILE_MS);
    expect(attempts).toBeGreaterThanOrEqual(3);
  });
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

describe('a session that ends', () => {
  /** The texts on the page since `noteSeen`. */
  type Seen = Readonly<{ totals: string[]; statuses: string[]; tables: boolean[] }>;

  async function noteSeen(): Promise<() => Promise<Seen>> {
    await watched.page.locator('table').waitFor();
    await watched.page.evaluate(() => {
      const noted = { totals: new Set(), statuses: new Set(), tables: new Set() };
      const look = (): void => {
        noted.statuses.add(document.querySelector('.status')?.textContent ?? 'no status');
        noted.totals.add(document.querySelector('.total')?.textContent ?? 'no total');
        noted.tables.add(document.querySelector('table') !== null);
      };
      look();
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
      Object.assign(globalThis, { noted });
    });
    return () =>
      watched.page.evaluate<Seen>(
        'Object.fromEntries(Object.entries(noted).map(([key, values]) => [key, [...values]]))',
      );
  }

  /** Numbers and table have stayed, no refusal was logged, and new commits are displayed. */
  async function expectUnseen({ totals, tables }: Seen): Promise<void> {
    expect(totals).toHaveLength(1);
    expect(tables).toEqual([true]);
    expect(watched.console.join()).not.toMatch(/deu ruim|uncaught/);
    await insertTickets(database.gates, { inside: { [`after ${totals[0]}`]: '4' } });
    await watched.expectTotal(String(Number(totals[0]) + 1));
    await watched.expectStatus('ao vivo');
  }

  test('is renewed unseen: numbers, table and "ao vivo" stay', async () => {
    await watched.goLive((await startTestServer(database, {}, { sessionLifetimeMs: 9_000 })).url);
    const seen = await noteSeen();
    // The page’s clock stands still after a stable stream, so that a slow machine costs the page no time.
    // On a slow machine that second may be over by then.
    await until(async () =>
      watched.page.clock.pauseAt((await watched.page.evaluate(() => Date.now())) + 1_000),
    );
    /** Makes the stream stable. With a clock ahead of the server's, the page would take messages for late. */
    const letPass = async (): Promise<void> => {
      for (let seconds = 0; seconds < 6; seconds += 1) {
        await pause(1_000);
        await watched.page.clock.runFor(1_000);
      }
    };
    await letPass();
    for (let renewals = 1; renewals <= RENEWALS; renewals += 1) {
      const before = signIns();
      await until(() => expect(signIns()).toBe(before + 1), 40_000);
      await until(() => expect(watched.requests.at(-1)).toMatch(/\/live(\?|$)/));
      if (renewals < RENEWALS) await letPass();
    }
    expect((await seen()).statuses).toEqual(['ao vivo']);
    await watched.page.clock.resume();
    await expectUnseen(await seen());
  });

  test('by a restart with another key or secret is replaced by a new one, without a word', async () => {
    let own = await startTestServer(database);
    await watched.goLive(own.url);
    const seen = await noteSeen();
    const { port: PORT } = new URL(own.url);
    for (const env of [
      { DASHBOARD_KEY: 'outra-chave-de-teste-com-32-letras' },
      { SESSION_SECRET: 'outro-segredo-de-teste-com-32-letras' },
    ]) {
      const before = signIns();
      await own.stop();
      own = await startTestServer(database, { PORT, ...env });
      await until(() => expect(signIns()).toBe(before + 1));
      await watched.expectStatus('ao vivo');
    }
    expect(await watched.page.locator('tbody tr').count()).toBe(13);
    expect(signIns()).toBe(3);
    await expectUnseen(await seen());
  });
});

test('every load signs in, with the account of /config.json, whatever cookie there is; there is one page: another path is 404, query and hash change nothing, and nothing can be operated', async () => {
  const accounts: unknown[] = [];
  watched.page.on('request', (request) => {
    if (request.url().endsWith('/api/sign-in')) accounts.push(request.postDataJSON());
  });
  expect((await watched.page.goto(`${server.url}/x`))?.status()).toBe(404);
  await watched.goLive(server.url);
  await watched.goLive(`${server.url}/?event=0123456789abcdef0123456789abcdef#y`);
  const account = { email: EMAIL, key: KEY };
  expect(accounts).toEqual([account, account]);
  expect(await watched.page.locator('.event').innerText()).toBe(DEFAULT_EVENT_ID);
  const operated = 'form, input, select, textarea, button, a, [tabindex], [contenteditable]';
  expect(await watched.page.locator(operated).count()).toBe(0);
  expect(await watched.page.locator('html').getAttribute('lang')).toBe('pt-BR');
  expect((await words()).join()).not.toContain('demonstração');
});

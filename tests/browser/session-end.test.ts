import type { Browser } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openLivePage, statusOf, type TestPage, totalOf } from '../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { insertTickets, setEntered } from '../../testing/tickets.ts';
import { until } from '../../testing/until.ts';

/** Longer than a stream must live to count as sound. */
const LIFETIME_MS = 7_000;

let database: TestDatabase;
let server: TestServer;
let browser: Browser;
let watched: TestPage;

beforeAll(async () => {
  browser = await launchBrowser();
});

beforeEach(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4', entrou: true },
    { id: 'b', setor: '4' },
  ]);
});

async function open(): Promise<void> {
  watched = await openLivePage(browser, server.url);
  await watched.page.locator('table').waitFor();
  await watched.page.evaluate(() => {
    const noted = { totals: new Set<string>(), statuses: new Set<string>(), tables: new Set<boolean>() };
    const look = (): void => {
      noted.statuses.add(document.querySelector('.status')?.textContent ?? 'no status');
      noted.totals.add(document.querySelector('.total')?.textContent ?? 'no total');
      noted.tables.add(document.querySelector('table') !== null);
    };
    look();
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    Object.assign(globalThis, { noted });
  });
}

async function seen(): Promise<{ totals: string[]; statuses: string[]; tables: boolean[] }> {
  return watched.page.evaluate(() => {
    const { totals, statuses, tables } = (
      globalThis as unknown as { noted: Record<'totals' | 'statuses' | 'tables', Set<never>> }
    ).noted;
    return { totals: [...totals], statuses: [...statuses], tables: [...tables] };
  });
}

function signIns(): number {
  return watched.requests.filter((request) => /POST .*\/api\/sign-in$/.test(request)).length;
}

/** Numbers and table stayed as they were, nothing was logged as refused, and what is committed now is shown. */
async function expectUnseen(): Promise<void> {
  const { totals, tables } = await seen();
  expect(totals).toEqual(['1']);
  expect(tables).toEqual([true]);
  expect(watched.console.join()).not.toMatch(/deu ruim|uncaught/);
  await setEntered(database.gates, 'b', true);
  await until(async () => expect(await totalOf(watched.page)).toBe('2'));
  await until(async () => expect(await statusOf(watched.page)).toBe('ao vivo'));
}

test('when its session ends, the page signs in again unseen: its numbers, its table and "ao vivo" stay', async () => {
  server = await startTestServer(database, {}, { sessionLifetimeMs: LIFETIME_MS });
  await open();
  expect(signIns()).toBe(1);
  await until(() => expect(signIns()).toBeGreaterThanOrEqual(3), 40_000);
  await watched.page.waitForTimeout(1_000);
  expect((await seen()).statuses).toEqual(['ao vivo']);
  await expectUnseen();
});

test.each([
  ['key', { DASHBOARD_KEY: 'outra-chave-de-teste-com-32-letras' }],
  ['secret', { SESSION_SECRET: 'outro-segredo-de-teste-com-32-letras' }],
])('after a restart with another %s, an open screen signs in anew', async (_what, env) => {
  server = await startTestServer(database);
  await open();
  const { port } = new URL(server.url);
  await server.stop();
  server = await startTestServer(database, { PORT: port, ...env });
  await until(() => expect(signIns()).toBe(2));
  await until(async () => expect(await statusOf(watched.page)).toBe('ao vivo'));
  await expectUnseen();
});

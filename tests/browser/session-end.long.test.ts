import { expect, test } from 'vitest';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase, setEntered } from '../../testing/database.ts';
import { openForAll, openForEach } from '../../testing/open-for-tests.ts';
import { openLivePage, type TestPage } from '../../testing/test-page.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

/** Longer than a stream must live to count as sound. */
const LIFETIME_MS = 7_000;

const browser = openForAll(launchBrowser);
const database = openForEach(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }));
let watched: TestPage;

async function open({ url }: TestServer): Promise<void> {
  watched = await openLivePage(browser, url);
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
}

/** What has stood on the page since it was open. */
function seen(): Promise<Record<'totals' | 'statuses' | 'tables', unknown[]>> {
  return watched.page.evaluate(
    'Object.fromEntries(Object.entries(noted).map(([key, values]) => [key, [...values]]))',
  );
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
  await watched.expectTotal('2');
  await watched.expectStatus('ao vivo');
}

test('when its session ends, the page signs in again unseen: its numbers, its table and "ao vivo" stay', async () => {
  await open(await startTestServer(database, {}, { sessionLifetimeMs: LIFETIME_MS }));
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
  const server = await startTestServer(database);
  await open(server);
  await server.stop();
  await startTestServer(database, { PORT: new URL(server.url).port, ...env });
  await until(() => expect(signIns()).toBe(2));
  await watched.expectStatus('ao vivo');
  await expectUnseen();
});

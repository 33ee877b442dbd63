import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { launchBrowser, newPage, statusOf, totalOf, type WatchedPage } from '../support/browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { insertTickets } from '../support/tickets.ts';
import { until } from '../support/until.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Cap height of Inter, in em: the height of a digit or a capital letter. */
const CAP_EM = 0.727;

let database: TestDatabase;
let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'many' || n, true, true, (array['1','2','3','4','5','6','7','8','9','11','12','13','99'])[n % 13 + 1]
    from generate_series(1, 31482) n`;
  await insertTickets(database.gates, [{ id: 'odd', setor: '04', entrou: true }]);
  server = await startTestServer(database);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await database?.drop();
});

async function openAt(
  width: number,
  height: number,
  scheme: 'dark' | 'light' = 'dark',
): Promise<WatchedPage> {
  const watched = await newPage(browser, { viewport: { width, height }, colorScheme: scheme });
  await watched.page.goto(server.url);
  await until(async () => expect(await statusOf(watched.page)).toBe('ao vivo'));
  await watched.page.locator('tbody').waitFor();
  await watched.page.evaluate(() => document.fonts.ready);
  return watched;
}

function scrolls(page: Page): Promise<{ sideways: boolean; down: boolean }> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    return { sideways: scrollWidth > clientWidth, down: scrollHeight > clientHeight };
  });
}

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE }).catch(() => page.evaluate(`(() => {})()`));
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each([
  [320, 640],
  [390, 844],
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
])('at %i × %i', (width, height) => {
  test('nothing is cut off or scrolls sideways; from 1280 × 720 up, nothing scrolls at all', async () => {
    const watched = await openAt(width, height);
    const { sideways, down } = await scrolls(watched.page);
    expect(sideways).toBe(false);
    expect(down && width >= 1280).toBe(false);
    const cut = await watched.page.evaluate(
      () =>
        [...document.querySelectorAll('tbody th, tbody td, .total, .event, .others, .status')].filter(
          (element) => {
            const { left, right } = element.getBoundingClientRect();
            // A count cell's flash reaches a little beyond its number on purpose.
            const isCut = !element.matches('td') && element.scrollWidth > element.clientWidth + 1;
            return left < 0 || right > innerWidth || isCut;
          },
        ).length,
    );
    expect(cut).toBe(0);
    await watched.close();
  });
});

test.each([
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
])(
  'at 16:9, %i × %i, digits of the total are 14 vh high and letters of a row 2.6 vh, in the font of the project',
  async (width, height) => {
    const watched = await openAt(width, height);
    const size = (selector: string): Promise<number> =>
      watched.page
        .locator(selector)
        .first()
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    expect(((await size('.total data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.14);
    expect(((await size('tbody th')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.026);
    expect(((await size('tbody td data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.026);
    const fonts = await watched.page.evaluate(() =>
      [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
    );
    expect(fonts.join()).toMatch(/Inter/);
    await watched.close();
  },
);

describe.each(['dark', 'light'] as const)('in the %s scheme', (scheme) => {
  test.each([
    [390, 844],
    [1920, 1080],
  ])('axe finds no violation at %i × %i: live, stale, and loading', async (width, height) => {
    const watched = await newPage(browser, {
      viewport: { width, height },
      colorScheme: scheme,
      bypassCSP: true,
    });
    const { page } = watched;
    await page.route('**/live', () => {});
    await page.goto(server.url);
    await page.locator('table').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unroute('**/live');
    await page.reload();
    await until(async () => expect(await totalOf(page)).toBe('31.483'));
    expect(await violations(page)).toEqual([]);
    await page.context().setOffline(true);
    await until(async () => expect(await statusOf(page)).toMatch(/^sem conexão/));
    expect(await violations(page)).toEqual([]);
    await watched.close();
  });
});

describe('nothing moves when the scripts take over, when the table arrives, and when the numbers do', () => {
  test.each([
    ['with the font there at once', 1920, 1080, 0],
    ['with the font late', 1920, 1080, 1_000],
    ['with the font late, on a phone', 390, 844, 1_000],
  ])('%s', async (_, width, height, fontLateMs) => {
    const watched = await newPage(browser, { viewport: { width, height } });
    await watched.page.route('**/*.woff2', async (route) => {
      await pause(fontLateMs);
      await route.continue();
    });
    await watched.page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await watched.page.goto(server.url);
    await until(async () => expect(await totalOf(watched.page)).toBe('31.483'));
    await watched.page.locator('tbody').waitFor();
    await watched.page.evaluate(() => document.fonts.ready);
    await watched.page.waitForTimeout(500);
    expect(await watched.page.evaluate(() => document.fonts.check('16px Inter'))).toBe(true);
    const shifts = await watched.page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
    // The words of the status change length at the right edge: that is all that moves.
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.001);
    await watched.close();
  });
});

test('only a demonstration says that it is one, beside the status', async () => {
  const badge = 'demonstração';
  const watched = await openAt(1280, 720);
  expect(await watched.page.locator('body').innerText()).not.toContain(badge);
  await watched.close();
});

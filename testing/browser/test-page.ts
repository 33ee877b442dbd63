import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { closeOnce } from '../close-once.ts';
import { until } from '../until.ts';

/** A page of the board, with its console and its requests. */
export interface TestPage {
  readonly page: Page;
  readonly console: string[];
  /** `METHOD URL` of every request. */
  readonly requests: string[];
  /** The words of the connection status. */
  status(): Promise<string>;
  /** The displayed total, or "carregando...". */
  total(): Promise<string>;
  /** The table's rows as [name, count]. */
  rows(): Promise<string[][]>;
  /** Waits until the status equals or matches these words. */
  expectStatus(words: string | RegExp, limitMs?: number): Promise<void>;
  expectTotal(total: string, limitMs?: number): Promise<void>;
  /** Opens the board at this address, and waits for "ao vivo". */
  goLive(url: string, options?: Parameters<Page['goto']>[1]): Promise<void>;
  /** Holds every matching request until the returned function is called. */
  hold(pattern: string): Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

/** Opens a page in a context of its own. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const watched = watchPage(await context.newPage());
  closeOnce(watched.close);
  return watched;
}

/** Opens a page of the board, and waits for "ao vivo". */
export async function openLivePage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<TestPage> {
  const opened = await newPage(browser, options);
  await opened.goLive(url);
  return opened;
}

export function watchPage(page: Page): TestPage {
  const lines: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  const watched: TestPage = {
    page,
    console: lines,
    requests,
    status: () => textOf(page, '#status'),
    total: () => textOf(page, '.total'),
    rows: () =>
      page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? ''))),
    expectStatus: (words, limitMs) =>
      until(async () => expect(await watched.status()).toEqual(matching(words)), limitMs),
    expectTotal: (total, limitMs) => until(async () => expect(await watched.total()).toBe(total), limitMs),
    async goLive(url, options) {
      await page.goto(url, options);
      await watched.expectStatus('ao vivo');
    },
    async hold(pattern) {
      const held: Route[] = [];
      let isOpen = false;
      await page.route(pattern, async (route) => {
        if (isOpen) await route.continue();
        else held.push(route);
      });
      return async () => {
        isOpen = true;
        for (const route of held) await route.continue();
      };
    },
    close: () => page.context().close(),
  };
  return watched;
}

/** Reads `innerText` at a third of a locator's cost, as it is read again and again, and waits for a missing element. */
function textOf(page: Page, selector: string): Promise<string> {
  const text = page.evaluate(
    (place) => document.querySelector<HTMLElement>(place)?.innerText ?? Promise.reject(new Error(place)),
    selector,
  );
  // Another document may be loading.
  return text.catch(() => page.locator(selector).innerText());
}

function matching(words: string | RegExp): unknown {
  return typeof words === 'string' ? words : expect.stringMatching(words);
}

import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core';

/** A real Chromium: CHROMIUM_PATH names it (`npm test` finds or installs one). */
export async function launchBrowser(args: string[] = [], env: Record<string, string> = {}): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (!executablePath) throw new Error('CHROMIUM_PATH is not set: run the tests with `npm test`');
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}

/** A page with what it wrote to the console and what it asked for. */
export interface WatchedPage {
  readonly page: Page;
  readonly console: string[];
  /** `METHOD URL` of every request. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const lines: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  return { page, console: lines, requests, close: () => context.close() };
}

/** Holds every call that matches, until the returned function is called. */
export async function hold(page: Page, pattern: string): Promise<() => Promise<void>> {
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
}

/** The words of the connection status. */
export function statusOf(page: Page): Promise<string> {
  return page.locator('#status').innerText();
}

/** The total as the screen shows it, or "carregando...". */
export function totalOf(page: Page): Promise<string> {
  return page.locator('.total').innerText();
}

/** The table's rows as [name, count]. */
export function rowsOf(page: Page): Promise<string[][]> {
  return page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

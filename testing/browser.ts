import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core';
import { closeOnce } from './close-once.ts';
import { until } from './until.ts';

export interface BrowserOptions {
  /** Default: what CHROMIUM_PATH names (`npm test` finds or installs one). */
  readonly executablePath?: string | undefined;
  /** Beside the kit's own. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Closes it when aborted: what waits for it then fails. */
  readonly signal?: AbortSignal;
}

/** A real Chromium without a window. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { executablePath = process.env['CHROMIUM_PATH'], args = [], env = {}, signal } = options;
  if (!executablePath) {
    throw new Error('There is no Chromium: set CHROMIUM_PATH (`npm test` finds or installs one).');
  }
  // With a signal, Ctrl-C is the caller's to handle: the library would end the whole process.
  const handles = signal === undefined;
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    handleSIGINT: handles,
    handleSIGTERM: handles,
    handleSIGHUP: handles,
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
  const close = closeOnce(() => browser.close());
  if (signal?.aborted) void close();
  else signal?.addEventListener('abort', () => void close(), { once: true });
  return browser;
}

/** A page with what it wrote to the console and what it asked for. */
export interface TestPage {
  readonly page: Page;
  readonly console: string[];
  /** `METHOD URL` of every request. */
  readonly requests: string[];
  close(): Promise<void>;
}

export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const lines: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  return { page, console: lines, requests, close: closeOnce(() => context.close()) };
}

/** A page of the board at this address that says "ao vivo". */
export async function openLivePage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<TestPage> {
  const opened = await newPage(browser, options);
  await goLive(opened.page, url);
  return opened;
}

/** Opens the board at this address, and waits until it says "ao vivo". */
export async function goLive(
  page: Page,
  url: string,
  options: Parameters<Page['goto']>[1] = {},
): Promise<void> {
  await page.goto(url, options);
  await until(async () => {
    const status = await statusOf(page);
    if (status !== 'ao vivo') throw new Error(`the status is "${status}"`);
  });
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

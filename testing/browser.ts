import { type Browser, chromium } from 'playwright-core';
import { closeOnce } from './close-once.ts';

export interface BrowserOptions {
  /** Default: what HEADLESS_CHROMIUM_PATH names (`npm test` finds or installs one). */
  readonly executablePath?: string | undefined;
  /** Beside the kit's own. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Closes it when aborted: what waits for it then fails. */
  readonly signal?: AbortSignal;
}

/** A real Chromium without a window. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { executablePath = process.env['HEADLESS_CHROMIUM_PATH'], args = [], env = {}, signal } = options;
  if (!executablePath) {
    throw new Error('There is no Chromium: set HEADLESS_CHROMIUM_PATH (`npm test` finds or installs one).');
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

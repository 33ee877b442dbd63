import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { closeOnce } from '../close-once.ts';

export interface BrowserOptions {
  /** Default: HEADLESS_CHROMIUM_PATH (`npm test` finds or installs one). */
  readonly executablePath?: string | undefined;
  /** Arguments beside the kit's own. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Closes the browser when aborted. */
  readonly signal?: AbortSignal;
}

/**
 * V8 compiles and collects on the page's own thread, and optimises nothing: other threads add a fifth to the processor time of a
 * page that is opened once, and optimised code a third to that of a page that axe checks. `board.test` is this machine under a
 * name that no browser trusts; names below `exemplo.test` are those of events.
 */
const SHARED_ARGS = [
  '--js-flags=--single-threaded --no-opt --no-maglev',
  '--host-resolver-rules=MAP board.test 127.0.0.1, MAP *.exemplo.test 127.0.0.1',
];

let shared: Promise<Browser> | undefined;
const lasting = new WeakSet<BrowserContext>();

/**
 * Opens the Chromium that all test files of this process share; a browser that has ended is replaced. The contexts of a file are
 * closed after it, except those passed to `outliveFile`. Chromium quits with the process, when its pipe closes.
 */
export async function openBrowser(): Promise<Browser> {
  const open = () => (shared = launch({ args: SHARED_ARGS }));
  let browser = await (shared ?? open());
  if (!browser.isConnected()) browser = await open();
  closeOnce(() => {
    const opened = browser.contexts().filter((context) => !lasting.has(context));
    return Promise.all(opened.map((context) => context.close()));
  });
  return browser;
}

/** Keeps the context open for the next files. */
export function outliveFile(context: BrowserContext): void {
  lasting.add(context);
}

/** The current processes of the browser and its pages. */
export async function processIdsOf(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.map(({ id }) => id);
}

/** Launches a headless Chromium for the caller alone. */
export async function launchBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const { signal } = options;
  const browser = await launch(options);
  const close = closeOnce(() => browser.close());
  if (signal?.aborted) void close();
  else signal?.addEventListener('abort', () => void close(), { once: true });
  return browser;
}

async function launch(options: BrowserOptions): Promise<Browser> {
  const { executablePath = process.env['HEADLESS_CHROMIUM_PATH'], args = [], env = {}, signal } = options;
  if (!executablePath) {
    throw new Error('There is no Chromium: set HEADLESS_CHROMIUM_PATH (`npm test` finds or installs one).');
  }
  // With a signal, Ctrl-C is the caller's to handle: the library would end the whole process.
  const handles = signal === undefined;
  return chromium.launch({
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
}
